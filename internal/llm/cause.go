package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"
)

// AsFault turns whatever a request ended with into a Fault: a Fault in the chain is taken as it is, a cancelled
// context is canceled, and a failed connection says what failed and where, without the request's URL. Never nil.
func AsFault(ctx context.Context, err error) *Fault {
	if ctx.Err() != nil {
		return &Fault{Code: CodeCanceled, Message: "canceled"}
	}
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	var at *url.Error
	if !errors.As(err, &at) {
		return &Fault{Code: CodeProvider, Message: Line(fmt.Sprint(err))}
	}
	f = netFault(at.Err)
	if u, bad := url.Parse(at.URL); bad == nil && u.Host != "" {
		f.Message = u.Host + ": " + f.Message
	}
	return f
}

// netFault words what a transport reports.
func netFault(err error) *Fault {
	f := &Fault{Code: CodeProvider, Retryable: true}
	var (
		name *net.DNSError
		op   *net.OpError
		cert *tls.CertificateVerificationError
		tcp  tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Unreachable, f.Message = true, "connection refused"
	case errors.As(err, &name) && name.IsNotFound:
		f.Unreachable, f.Message = true, "no such host"
	case errors.As(err, &name):
		f.Unreachable, f.Message = true, "the host's address could not be looked up"
	case errors.As(err, &cert), errors.As(err, &tcp):
		f.Retryable, f.Message = false, Line(err.Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		f.Message = "the connection was dropped"
	case errors.As(err, &op):
		f.Unreachable, f.Message = op.Op == "dial", Line(op.Op+": "+op.Err.Error())
	default:
		f.Message = Line(err.Error())
	}
	return f
}
