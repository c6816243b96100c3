package room

import "slices"

// Share says how much of each of several results is shown: of one at the most one, of all together at the most all. What
// a small one leaves is given to the larger ones.
func Share(sizes []int, one, all int) []int {
	out := make([]int, len(sizes))
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return sizes[a] - sizes[b] })
	for n, i := range order {
		out[i] = min(sizes[i], one, max(0, all)/(len(sizes)-n))
		all -= out[i]
	}
	return out
}
