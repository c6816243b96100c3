package agent

import "context"

// compact makes room before the limit is hit.
func (r *Run) compact(ctx, logged context.Context) error { return nil }
