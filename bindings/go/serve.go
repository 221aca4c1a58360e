package toolmesh

// #include "native.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/cgo"
	"runtime/debug"
	"sync"
)

// failed is what a caller is told of an error that is no ToolError: nothing of this process leaves it.
const failed = "the tool failed"

// ToolServeHandle is a tool that is served. One whose handle nobody keeps is served until its node is closed.
type ToolServeHandle struct {
	// Descriptor is what is announced, schemas included.
	Descriptor ToolDescriptor

	node   *Node
	once   sync.Once
	native *C.ToolmeshServed
}

// Close withdraws the tool: it is gone for others at once, and calls that run go on. Closing twice is no fault.
func (h *ToolServeHandle) Close() {
	if h == nil || h.node == nil {
		return
	}
	h.once.Do(func() {
		h.node.mutex.Lock()
		delete(h.node.handles, h)
		h.node.mutex.Unlock()
		C.toolmesh_served_free(h.native)
	})
}

// RegisterTool serves a tool: registered, announced and callable when it returns, or not at all. Schemas that the descriptor
// has not are derived from Req and Resp. A handler runs on a goroutine of its own; its context ends when the caller gives up
// or the deadline passes, and [CallOf] tells more of the call. Arguments have passed the input schema, a result is checked
// against the output schema. It fails with [ErrAlreadyServing] when this node serves that version already, [ErrInvalid] for a name,
// a type or a schema that is not allowed and for a handler that is nil, and [ErrClosed].
func RegisterTool[Req, Resp any](
	node *Node, descriptor ToolDescriptor, handler func(ctx context.Context, request Req) (Resp, error),
) (*ToolServeHandle, error) {
	if handler == nil {
		return nil, noHandler()
	}
	descriptor.Streaming = false
	descriptor, err := descriptor.derived(reflect.TypeFor[Req](), reflect.TypeFor[Resp]())
	if err != nil {
		return nil, err
	}
	return node.serve(descriptor, func(ctx context.Context, call *Call) error {
		var request Req
		if err := decode(call.arguments(), &request, "the arguments"); err != nil {
			return &ToolError{Message: err.Error()}
		}
		result, err := handler(ctx, request)
		if err != nil {
			return err
		}
		text, err := encode(result, "the result")
		if err != nil {
			return err
		}
		return call.finish(text)
	})
}

// RegisterStreamingTool serves a tool that sends events while it runs. It ends with sink.Result, or with the error that it
// returns; a stream that ends with neither gets the error event missing_terminal. Otherwise as [RegisterTool].
func RegisterStreamingTool[Req any](
	node *Node, descriptor ToolDescriptor, handler func(ctx context.Context, request Req, sink *ToolEventSink) error,
) (*ToolServeHandle, error) {
	if handler == nil {
		return nil, noHandler()
	}
	descriptor.Streaming = true
	descriptor, err := descriptor.derived(reflect.TypeFor[Req](), nil)
	if err != nil {
		return nil, err
	}
	return node.serve(descriptor, func(ctx context.Context, call *Call) error {
		var request Req
		if err := decode(call.arguments(), &request, "the arguments"); err != nil {
			return &ToolError{Message: err.Error()}
		}
		return handler(ctx, request, &ToolEventSink{ctx, call})
	})
}

func noHandler() *Error { return invalid("a tool needs a handler, and this one is nil") }

// served is a tool's handler, as the library knows it.
type served struct {
	tool   string
	handle func(ctx context.Context, call *Call) error
}

func (n *Node) serve(
	descriptor ToolDescriptor, handle func(ctx context.Context, call *Call) error,
) (*ToolServeHandle, error) {
	text, err := encode(descriptor, "the descriptor")
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, notStarted()
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.native == nil {
		return nil, closed("node")
	}
	tool := &ToolServeHandle{Descriptor: descriptor, node: n}
	data, length := given(text)
	// The library deletes the handle, by toolmeshGoRelease, when no call begins any more.
	context := C.uint64_t(cgo.NewHandle(&served{descriptor.ToolID, handle}))
	_, err = taken(C.toolmesh_serve(n.native, data, length, C.ToolmeshBegin(C.toolmeshGoBegin),
		C.ToolmeshRelease(C.toolmeshGoRelease), context, &tool.native))
	if err != nil {
		return nil, err
	}
	n.handles[tool] = struct{}{}
	return tool, nil
}

// run runs one call to its end.
func (s *served) run(native *C.ToolmeshCall) {
	call := &Call{native: native}
	defer call.release()
	ctx := contextOf(call)
	defer ctx.end(context.Canceled)
	err := guarded("the handler", func() error { return s.handle(ctx, call) })
	if err == nil {
		return
	}
	says := &ToolError{Message: failed}
	// What an error tells of itself is the program's as well: a nil pointer that is returned as an error, for instance.
	broken := guarded("the handler's error", func() error {
		says = s.told(ctx, call, err)
		return nil
	})
	if broken != nil {
		s.log(broken)
	}
	call.fail(says)
}

// guarded runs what is the program's; a panic of it is its failure.
func guarded(what string, work func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%s panicked: %v\n%s", what, reason, debug.Stack())
		}
	}()
	return work()
}

// told is what the caller is told of a failure; what it is not told goes to the log, unless the caller is gone anyway. What is
// closed while the call is not is something else, and a failure like others.
func (s *served) told(ctx context.Context, call *Call, err error) *ToolError {
	var says *ToolError
	if errors.As(err, &says) && says != nil {
		return says
	}
	isOver := errors.Is(err, ErrClosed) && call.found.Load()
	if !isOver && ctx.Err() == nil {
		s.log(err)
	}
	return &ToolError{Message: failed}
}

func (s *served) log(err error) { slog.Error("a tool failed", "tool", s.tool, "error", err) }
