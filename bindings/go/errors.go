package toolmesh

import (
	"context"
	"errors"
	"fmt"
)

// Kind is what kind of failure an [Error] is: a word that never changes. Kinds are errors themselves, for [errors.Is].
type Kind string

// The kinds of failures.
const (
	// ErrNoRoute: no node that this one can see serves the tool, meets the predicate and has the version.
	ErrNoRoute Kind = "no_route"
	// ErrTimeout: the deadline passed. It is context.DeadlineExceeded as well.
	ErrTimeout Kind = "timeout"
	// ErrCancelled: the caller gave up. It is context.Canceled as well.
	ErrCancelled Kind = "cancelled"
	// ErrDenied: the host does not let this node call.
	ErrDenied Kind = "denied"
	// ErrInvalidArguments: the arguments do not fit the tool's schema.
	ErrInvalidArguments Kind = "invalid_arguments"
	// ErrToolFailed: the tool itself says no; the message is its own.
	ErrToolFailed Kind = "tool_failed"
	// ErrServer: the host answered with another status.
	ErrServer Kind = "server"
	// ErrTransport: the way to the host failed.
	ErrTransport Kind = "transport"
	// ErrJSON: a text is not the JSON that it has to be, or does not fit the type that it is read into.
	ErrJSON Kind = "json"
	// ErrInvalid: a descriptor, an option or another argument is not allowed.
	ErrInvalid Kind = "invalid"
	// ErrAlreadyServing: this node serves this version of the tool already; it goes on serving it as it is.
	ErrAlreadyServing Kind = "already_serving"
	// ErrConfiguration: a source or a configuration cannot be used.
	ErrConfiguration Kind = "configuration"
	// ErrClosed: the node, stream or call is over.
	ErrClosed Kind = "closed"
	// ErrSystem: the system refuses something: threads, an address, a file.
	ErrSystem Kind = "system"
	// ErrToolCallParse: a model's reply holds no tool call of this provider's form.
	ErrToolCallParse Kind = "no_tool_call"
	// ErrPanicked: the library itself failed, which is a defect of it.
	ErrPanicked Kind = "panicked"

	// Nothing follows; never seen by programs.
	atEnd Kind = "end"
)

// ErrABIMismatch: the library is of another version than the header that this package was built with.
var ErrABIMismatch = errors.New("toolmesh: the library does not fit the package")

// Error tells the kind as words.
func (k Kind) Error() string { return "toolmesh: " + string(k) }

// Error is how things fail.
type Error struct {
	// Kind is what kind of failure it is.
	Kind Kind
	// Message says what happened, for people.
	Message string
	// Status is the number with which the host answered, or 0 when no host did.
	Status uint16

	cause error
}

// Error tells the message.
func (e *Error) Error() string { return e.Message }

// Is compares with a [Kind], and with the errors of package context where they mean the same.
func (e *Error) Is(target error) bool {
	switch target {
	case e.Kind:
		return true
	case context.DeadlineExceeded:
		return e.Kind == ErrTimeout
	case context.Canceled:
		return e.Kind == ErrCancelled
	}
	return false
}

// Unwrap gives what is behind it: the cause of a context that ended, or an error of encoding/json.
func (e *Error) Unwrap() error { return e.cause }

// ToolError is how a handler says no: its message reaches the caller as it is. The text of any other error that a handler
// returns does not leave the process; the caller is told that the tool failed, and the log tells why.
type ToolError struct {
	// Code is the code of the error event of a streaming tool; empty for the usual one.
	Code string
	// Message is for the caller to read.
	Message string
}

// Error tells the message.
func (e *ToolError) Error() string {
	if e == nil {
		return "a nil *ToolError was returned as an error: return nil itself where nothing failed"
	}
	return e.Message
}

// ToolErrorf is a [ToolError] with that text.
func ToolErrorf(format string, values ...any) *ToolError {
	return &ToolError{Message: fmt.Sprintf(format, values...)}
}

// givenUp is the failure of what was given up with its context.
func givenUp(ctx context.Context) *Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Error{Kind: ErrTimeout, Message: "the deadline passed", cause: context.Cause(ctx)}
	}
	return &Error{Kind: ErrCancelled, Message: "the caller gave up", cause: context.Cause(ctx)}
}

// isEnd is whether an error says that nothing follows.
func isEnd(err error) bool { return errors.Is(err, atEnd) }

func invalid(format string, values ...any) *Error {
	return &Error{Kind: ErrInvalid, Message: fmt.Sprintf(format, values...)}
}

// notStarted is what a node is of whose start nobody has read the failure.
func notStarted() *Error {
	return &Error{Kind: ErrClosed, Message: "the node has not started: Start has told why"}
}

// notOpened is likewise what a stream is that is nil or nobody's.
func notOpened() *Error {
	return &Error{Kind: ErrClosed, Message: "the stream was not opened: CallToolStreaming has told why"}
}

func closed(what string) *Error {
	return &Error{Kind: ErrClosed, Message: "the " + what + " is closed"}
}
