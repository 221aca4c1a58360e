package toolmesh

// #include "native.h"
import "C"

import (
	"bytes"
	"context"
	"iter"
	"sync"
)

// CallTool calls a tool, wherever in the mesh it is served, this node included, and waits for its result, at most 30 s unless its
// context or options say. When the context ends, the call is cancelled at its handler. A request that is nil asks without arguments.
//
// It fails with [ErrNoRoute], [ErrTimeout], [ErrCancelled], [ErrDenied], [ErrInvalidArguments], [ErrToolFailed] with the tool's own
// words, [ErrServer] for another status of the host, [ErrTransport], [ErrInvalid] for the options, [ErrJSON] for a request or
// result that does not fit its type, and [ErrClosed].
func CallTool[Req, Resp any](
	ctx context.Context, node *Node, tool string, request Req, options ...CallOption,
) (Resp, error) {
	var response Resp
	arguments, how, err := crossing(ctx, request, options)
	if err != nil {
		return response, err
	}
	begin := func(native *C.ToolmeshNode, cancel *C.ToolmeshToken, context C.uint64_t) {
		name, nameLen := given(tool)
		data, dataLen := given(arguments)
		text, textLen := given(how)
		C.toolmesh_call(native, name, nameLen, data, dataLen, text, textLen, cancel,
			C.ToolmeshDone(C.toolmeshGoDone), context)
	}
	_, result, err := awaitOf[struct{}](ctx, node, begin)
	if err != nil {
		return response, err
	}
	err = decode(result, &response, "the result")
	return response, err
}

// CallToolStreaming calls a tool, and reads its events while it runs, at most 10 minutes unless its context or options say. When
// the context ends, or the stream is closed, the call is cancelled at its handler. It fails as [CallTool] before the first event;
// what fails later is the last event, an error.
func CallToolStreaming[Req any](
	ctx context.Context, node *Node, tool string, request Req, options ...CallOption,
) (*ToolEventStream, error) {
	arguments, how, err := crossing(ctx, request, options)
	if err != nil {
		return nil, err
	}
	begin := func(native *C.ToolmeshNode, cancel *C.ToolmeshToken, context C.uint64_t) {
		name, nameLen := given(tool)
		data, dataLen := given(arguments)
		text, textLen := given(how)
		C.toolmesh_call_streaming(native, name, nameLen, data, dataLen, text, textLen, cancel,
			C.ToolmeshEventsOpened(C.toolmeshGoEventsOpened), context)
	}
	events, _, err := awaitOf[*C.ToolmeshEvents](ctx, node, begin)
	if err != nil {
		return nil, err
	}
	stream := &ToolEventStream{ctx: ctx, native: events}
	stream.stop = context.AfterFunc(ctx, stream.release)
	return stream, nil
}

func crossing[Req any](ctx context.Context, request Req, options []CallOption) (arguments, how []byte, err error) {
	if arguments, err = encode(request, "the arguments"); err != nil {
		return nil, nil, err
	}
	if bytes.Equal(arguments, null) {
		// Arguments are an object: nothing at all is one without members.
		arguments = []byte("{}")
	}
	how, err = optionsOf(ctx, options)
	return arguments, how, err
}

// ToolEventStream is the events of a call; the last is terminal. Close it, unless it was read to its end.
type ToolEventStream struct {
	ctx    context.Context
	stop   func() bool
	mutex  sync.Mutex
	native *C.ToolmeshEvents
	callID *uint64
	// finished is whether it was read to its end, or closed: nothing is left to tell.
	finished bool
}

// wasOpened is whether it is one that [CallToolStreaming] gave.
func (s *ToolEventStream) wasOpened() bool { return s != nil && s.ctx != nil }

// Recv waits for the next event; ok is false after the last, and when the stream is closed.
func (s *ToolEventStream) Recv() (event ToolEvent, ok bool, err error) {
	if !s.wasOpened() {
		return ToolEvent{}, false, notOpened()
	}
	s.mutex.Lock()
	if s.native == nil {
		defer s.mutex.Unlock()
		if s.finished {
			return ToolEvent{}, false, nil
		}
		s.finished = true
		return ToolEvent{}, false, givenUp(s.ctx)
	}
	unlock := sync.OnceFunc(s.mutex.Unlock)
	defer unlock()
	_, text, err := await[struct{}](s.ctx, func(cancel *C.ToolmeshToken, context C.uint64_t) {
		C.toolmesh_events_next(s.native, cancel, C.ToolmeshDone(C.toolmeshGoDone), context)
		unlock()
	})
	unlock()
	if err == nil {
		err = decode(text, &event, "an event")
	}
	if err != nil || event.IsTerminal() {
		s.Close()
	}
	if isEnd(err) {
		return ToolEvent{}, false, nil
	}
	if event.CallID != nil {
		s.mutex.Lock()
		s.callID = event.CallID
		s.mutex.Unlock()
	}
	return event, err == nil, err
}

// All are the events to the last, for a range loop. A failure is the last pair. Leaving the loop closes the stream.
func (s *ToolEventStream) All() iter.Seq2[ToolEvent, error] {
	return func(yield func(ToolEvent, error) bool) {
		defer s.Close()
		for {
			event, ok, err := s.Recv()
			if !ok && err == nil || !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// CallID is the number that the host gave the call, when its start has been read.
func (s *ToolEventStream) CallID() (id uint64, ok bool) {
	if !s.wasOpened() {
		return 0, false
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.callID == nil {
		return 0, false
	}
	return *s.callID, true
}

// Close ends the stream; the call is cancelled when it is not over. Closing twice is no fault.
func (s *ToolEventStream) Close() {
	if !s.wasOpened() {
		return
	}
	s.stop()
	s.release()
	s.mutex.Lock()
	s.finished = true
	s.mutex.Unlock()
}

// release cancels the call, which nothing does when it is over, and lets go of its events.
func (s *ToolEventStream) release() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.native == nil {
		return
	}
	C.toolmesh_events_cancel(s.native)
	C.toolmesh_events_free(s.native)
	s.native = nil
}
