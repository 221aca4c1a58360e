package toolmesh

// #include "native.h"
import "C"

import (
	"context"
	"runtime/cgo"
	"sync"
	"time"
)

// callContext is the context of a handler: it ends with the call, when the caller gives up, and at the deadline. The library
// says when, also at the deadline: the caller is told of that by the library, and a clock of Go that is ahead by a moment would
// let the handler tell of it first. No context of package context is behind it that ends: contexts made of it would take the
// reason of that one.
type callContext struct {
	context.Context
	call     *Call
	watching sync.Once
	deadline time.Time
	done     chan struct{}
	mutex    sync.Mutex
	err      error
}

func contextOf(call *Call) *callContext {
	ctx := &callContext{call: call, done: make(chan struct{})}
	if left := int64(C.toolmesh_call_deadline_ms(call.native)); left >= 0 {
		ctx.deadline = time.Now().Add(milliseconds(left))
	}
	ctx.Context = context.WithValue(context.Background(), callKey{}, call)
	return ctx
}

// end ends it, unless it has ended already.
func (c *callContext) end(reason error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.err == nil {
		c.err = reason
		close(c.done)
	}
}

// watch watches the call from the first look at the context on: many handlers never look.
func (c *callContext) watch() {
	_ = c.call.with(func(native *C.ToolmeshCall) error {
		// The library deletes the handle, by toolmeshGoWatched, however the watch ends.
		ends := cgo.NewHandle(func() {
			if !c.deadline.IsZero() && !time.Now().Before(c.deadline) {
				c.end(context.DeadlineExceeded)
			} else {
				c.end(context.Canceled)
			}
		})
		C.toolmesh_call_on_cancel(native, C.ToolmeshWatched(C.toolmeshGoWatched), C.uint64_t(ends))
		return nil
	})
}

func (c *callContext) Deadline() (time.Time, bool) { return c.deadline, !c.deadline.IsZero() }

func (c *callContext) Done() <-chan struct{} {
	c.watching.Do(c.watch)
	return c.done
}

func (c *callContext) Err() error {
	c.watching.Do(c.watch)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.err
}

// milliseconds is a duration, at most the longest that there is.
func milliseconds(count int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Millisecond)
	return time.Duration(min(count, most)) * time.Millisecond
}
