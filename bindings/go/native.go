package toolmesh

// #cgo CFLAGS: -I${SRCDIR}/include -I${SRCDIR}/../../crates/ffi/include
// #cgo LDFLAGS: -L${SRCDIR}/lib -ltoolmesh_ffi -lm -ldl -lpthread
// #include "native.h"
import "C"

import (
	"context"
	"fmt"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// What crosses to the library are bytes with their length, and numbers that stand for values of Go: cgo handles, which the
// one callback that ends a thing deletes. No pointer of Go is kept there.

// abiVersion is the version of the header that this package was built with.
const abiVersion = uint32(C.TOOLMESH_ABI_VERSION)

// checkABI compares the header that this package was built with and the library that it runs with.
var checkABI = sync.OnceValue(func() error {
	have := uint32(C.toolmesh_abi_version())
	if have == abiVersion {
		return nil
	}
	return fmt.Errorf("%w: the package was built for version %d and the library has version %d",
		ErrABIMismatch, abiVersion, have)
})

// outcome is how something that was begun ended.
type outcome[T any] struct {
	object T
	text   []byte
	err    error
}

// waiting is whoever waits for it. It holds one outcome, so that the callback never waits.
type waiting[T any] chan outcome[T]

// end hands an outcome to whoever waits, and lets go of the handle: each is told exactly once.
func end[T any](context C.uint64_t, object T, answer C.ToolmeshAnswer) {
	handle := cgo.Handle(context)
	text, err := taken(answer)
	handle.Value().(waiting[T]) <- outcome[T]{object, text, err}
	handle.Delete()
}

//export toolmeshGoDone
func toolmeshGoDone(context C.uint64_t, answer C.ToolmeshAnswer) {
	end(context, struct{}{}, answer)
}

//export toolmeshGoNodeStarted
func toolmeshGoNodeStarted(context C.uint64_t, node *C.ToolmeshNode, answer C.ToolmeshAnswer) {
	end(context, node, answer)
}

//export toolmeshGoEventsOpened
func toolmeshGoEventsOpened(context C.uint64_t, events *C.ToolmeshEvents, answer C.ToolmeshAnswer) {
	end(context, events, answer)
}

//export toolmeshGoEndpointOpened
func toolmeshGoEndpointOpened(context C.uint64_t, endpoint *C.ToolmeshEndpoint, answer C.ToolmeshAnswer) {
	end(context, endpoint, answer)
}

//export toolmeshGoBegin
func toolmeshGoBegin(context C.uint64_t, call *C.ToolmeshCall) {
	go cgo.Handle(context).Value().(*served).run(call)
}

//export toolmeshGoRelease
func toolmeshGoRelease(context C.uint64_t) {
	cgo.Handle(context).Delete()
}

//export toolmeshGoWatched
func toolmeshGoWatched(watch C.uint64_t, cancelled C.bool) {
	handle := cgo.Handle(watch)
	ends := handle.Value().(func())
	handle.Delete()
	if cancelled {
		ends()
	}
}

// await begins something and waits for its end, or until the context is done, which cancels it. begin is given the token that
// cancels, which may be nil, and the number that stands for whoever waits.
func await[T any](ctx context.Context, begin func(cancel *C.ToolmeshToken, context C.uint64_t)) (T, []byte, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, nil, givenUp(ctx)
	}
	ends := make(waiting[T], 1)
	handle := C.uint64_t(cgo.NewHandle(ends))
	if ctx.Done() == nil {
		begin(nil, handle)
		end := <-ends
		return end.object, end.text, end.err
	}
	token := C.toolmesh_token_new()
	defer C.toolmesh_token_free(token)
	begin(token, handle)
	select {
	case end := <-ends:
		return end.object, end.text, end.err
	case <-ctx.Done():
		C.toolmesh_token_cancel(token)
	}
	// It may have ended at the same moment, and then it has.
	end := <-ends
	if end.err != nil {
		return none, nil, givenUp(ctx)
	}
	return end.object, end.text, nil
}

// taken copies what an answer says, and frees it.
func taken(answer C.ToolmeshAnswer) ([]byte, error) {
	var text []byte
	if answer.len > 0 {
		text = append(text, unsafe.Slice((*byte)(answer.data), answer.len)...)
		C.toolmesh_answer_free(answer)
	}
	if answer.code == C.TOOLMESH_CODE_OK {
		return text, nil
	}
	kind := Kind(borrowed(C.toolmesh_code_word(answer.code)))
	return nil, &Error{Kind: kind, Message: string(text), Status: uint16(answer.status)}
}

// borrowed copies a text that belongs to an object of the library.
func borrowed(text C.ToolmeshText) string {
	return string(unsafe.Slice((*byte)(text.data), text.len))
}

// given is how a text is handed in: where it is, and its length; the library copies it before the function returns.
func given[T string | []byte](text T) (*C.uint8_t, C.size_t) {
	raw := []byte(text)
	return (*C.uint8_t)(unsafe.SliceData(raw)), C.size_t(len(raw))
}
