package toolmesh

// #include "native.h"
import "C"

import (
	"context"
	"errors"
	"runtime/cgo"
	"strings"
	"sync"
	"sync/atomic"
)

// Call is a call under way, as its handler knows it; see [CallOf]. It is over when the handler has returned.
type Call struct {
	mutex  sync.RWMutex
	native *C.ToolmeshCall
	// over is whether its handler has said the last word, after which it is closed, also before it is freed.
	over bool
	// found is whether the library has said that the call is over: its caller is gone, or it has had its terminal event.
	found atomic.Bool
}

// Caller is who asks.
type Caller struct {
	// Identity is what the front has verified, never what a client says of itself; nil when nothing is known.
	Identity *string `json:"identity"`
	// Transport is the way by which the call came: mesh, http, stdio, command_line or in_process.
	Transport string `json:"transport"`
	// OnBehalfOf names the gateways between.
	OnBehalfOf []string `json:"on_behalf_of"`
}

type callKey struct{}

// CallOf is the call that a handler's context belongs to, or nil for any other context.
func CallOf(ctx context.Context) *Call {
	call, _ := ctx.Value(callKey{}).(*Call)
	return call
}

// with runs work on the library's call, which is not freed meanwhile. work must not wait.
func (c *Call) with(work func(native *C.ToolmeshCall) error) error {
	if c == nil {
		return closed("call")
	}
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	if c.native == nil || c.over {
		return closed("call")
	}
	return work(c.native)
}

// end is before the last word: whoever hears it finds the call closed.
func (c *Call) end() {
	c.mutex.Lock()
	c.over = true
	c.mutex.Unlock()
}

func (c *Call) arguments() []byte {
	var text string
	_ = c.with(func(native *C.ToolmeshCall) error {
		text = borrowed(C.toolmesh_call_arguments(native))
		return nil
	})
	return []byte(text)
}

// Caller tells who asks.
func (c *Call) Caller() (Caller, error) {
	var caller Caller
	err := c.ask(&caller, "the caller", func(native *C.ToolmeshCall) C.ToolmeshAnswer {
		return C.toolmesh_call_caller(native)
	})
	return caller, err
}

// Headers are what came with the call, names in lower case; of several with one name the last.
func (c *Call) Headers() (map[string]string, error) {
	var pairs [][2]string
	err := c.ask(&pairs, "the headers", func(native *C.ToolmeshCall) C.ToolmeshAnswer {
		return C.toolmesh_call_headers(native)
	})
	headers := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		headers[pair[0]] = pair[1]
	}
	return headers, err
}

// IdempotencyKey is the key by which tries of one logical call know each other.
func (c *Call) IdempotencyKey() string {
	var key string
	_ = c.with(func(native *C.ToolmeshCall) error {
		key = borrowed(C.toolmesh_call_idempotency_key(native))
		return nil
	})
	return key
}

// Progress reports how far the call is, in percent, with a text; it waits while the reader is behind.
func (c *Call) Progress(ctx context.Context, percent float64, message string) error {
	return c.send(ctx, ToolEvent{Type: EventProgress, Pct: &percent, Message: message})
}

func (c *Call) ask(value any, what string, question func(native *C.ToolmeshCall) C.ToolmeshAnswer) error {
	var text []byte
	err := c.with(func(native *C.ToolmeshCall) (err error) {
		text, err = taken(question(native))
		return err
	})
	if err != nil {
		return err
	}
	return decode(text, value, what)
}

// send sends an event, and waits until the reader has kept up. What is sent is sent, also when the context ends meanwhile.
func (c *Call) send(ctx context.Context, event ToolEvent) error {
	if c == nil {
		return closed("call")
	}
	text, err := encode(event, "the event")
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return givenUp(ctx)
	}
	ends := make(waiting[struct{}], 1)
	err = c.with(func(native *C.ToolmeshCall) error {
		data, length := given(text)
		C.toolmesh_call_event(native, data, length, C.ToolmeshDone(C.toolmeshGoDone),
			C.uint64_t(cgo.NewHandle(ends)))
		return nil
	})
	if err != nil {
		return err
	}
	select {
	case end := <-ends:
		if end.err != nil && errors.Is(end.err, ErrClosed) {
			c.found.Store(true)
		}
		return end.err
	case <-ctx.Done():
		return givenUp(ctx)
	}
}

// finish ends the call with a result. One that the library refuses does not end it: it is to fail then.
func (c *Call) finish(result []byte) error {
	c.end()
	_, _, err := await[struct{}](context.Background(), func(_ *C.ToolmeshToken, context C.uint64_t) {
		data, length := given(result)
		C.toolmesh_call_finish(c.native, data, length, C.ToolmeshDone(C.toolmeshGoDone), context)
	})
	if errors.Is(err, ErrClosed) {
		c.found.Store(true)
	}
	return err
}

// fail ends the call with a failure. Who is not there any more need not be told.
func (c *Call) fail(failure *ToolError) {
	c.end()
	message, messageLen := given(valid(failure.Message))
	if failure.Code == "" {
		C.toolmesh_call_fail(c.native, nil, 0, message, messageLen, nil, 0)
		return
	}
	code, codeLen := given(valid(failure.Code))
	C.toolmesh_call_fail(c.native, code, codeLen, message, messageLen, nil, 0)
}

// valid is a text as encoding/json would write it: what is no UTF-8 has no place on the wire.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// release lets the call go. One that has not ended gets its end from the host.
func (c *Call) release() {
	c.mutex.Lock()
	native := c.native
	c.native = nil
	c.mutex.Unlock()
	C.toolmesh_call_free(native)
}

// ToolEventSink is where a streaming handler sends its events.
type ToolEventSink struct {
	ctx  context.Context
	call *Call
}

// Send sends an event, and waits while the reader is behind. After a terminal event the call is over.
func (s *ToolEventSink) Send(event ToolEvent) error {
	if s == nil {
		return closed("call")
	}
	return s.call.send(s.ctx, event)
}

// Progress reports how far the call is, in percent, with a text.
func (s *ToolEventSink) Progress(percent float64, message string) error {
	return s.Send(ToolEvent{Type: EventProgress, Pct: &percent, Message: message})
}

// Delta sends a piece of partial output.
func (s *ToolEventSink) Delta(data any) error { return s.sendData(EventDelta, data) }

// Result ends the call with its result.
func (s *ToolEventSink) Result(data any) error { return s.sendData(EventResult, data) }

func (s *ToolEventSink) sendData(kind ToolEventType, data any) error {
	text, err := encode(data, "the data of an event")
	if err != nil {
		return err
	}
	return s.Send(ToolEvent{Type: kind, Data: text})
}
