package toolmesh

// #include "native.h"
import "C"

import (
	"context"
	"runtime/cgo"
	"strings"
	"sync"
)

// Node is a whole Toolmesh program: its own tools, its sources, its place in a mesh, and an MCP server. Its methods may be
// used from several goroutines. It ends with [Node.Close].
type Node struct {
	mutex   sync.RWMutex
	native  *C.ToolmeshNode
	handles map[*ToolServeHandle]struct{}
	// over is closed when the node is: what waits for a reader lets go then.
	over chan struct{}
}

// Start starts a node: its sources are started, and it joins the mesh. The context bounds the start alone.
//
// It fails with [ErrInvalid] for options that are not allowed, [ErrConfiguration] for a source, certificate or file that cannot be
// used, [ErrSystem] when the address is taken, [ErrTransport] when no router answers, and [ErrABIMismatch].
func Start(ctx context.Context, options Options) (*Node, error) {
	if err := checkABI(); err != nil {
		return nil, err
	}
	return startFor(ctx, abiVersion, options)
}

// startFor starts a node as a program built for that version does.
func startFor(ctx context.Context, version uint32, options Options) (*Node, error) {
	text, err := encode(options.crossing(), "the options of a node")
	if err != nil {
		return nil, err
	}
	native, _, err := await[*C.ToolmeshNode](ctx, func(cancel *C.ToolmeshToken, context C.uint64_t) {
		data, length := given(text)
		C.toolmesh_node_start(C.uint32_t(version), data, length, cancel,
			C.ToolmeshNodeStarted(C.toolmeshGoNodeStarted), context)
	})
	if err != nil {
		return nil, err
	}
	return &Node{native: native, handles: make(map[*ToolServeHandle]struct{}), over: make(chan struct{})}, nil
}

// with runs work on the library's node, which is not freed meanwhile. work must not wait.
func (n *Node) with(work func(native *C.ToolmeshNode) error) error {
	if n == nil {
		return notStarted()
	}
	n.mutex.RLock()
	defer n.mutex.RUnlock()
	if n.native == nil {
		return closed("node")
	}
	return work(n.native)
}

// await begins something of the node, and waits for its end without holding the node.
func awaitOf[T any](
	ctx context.Context, n *Node, begin func(native *C.ToolmeshNode, cancel *C.ToolmeshToken, context C.uint64_t),
) (T, []byte, error) {
	return await[T](ctx, func(cancel *C.ToolmeshToken, context C.uint64_t) {
		err := n.with(func(native *C.ToolmeshNode) error {
			begin(native, cancel, context)
			return nil
		})
		if err != nil {
			// It was not begun, so that nobody else tells.
			handle := cgo.Handle(context)
			handle.Value().(waiting[T]) <- outcome[T]{err: err}
			handle.Delete()
		}
	})
}

// ask asks the library's node for something that it has at hand, as JSON.
func (n *Node) ask(value any, what string, question func(native *C.ToolmeshNode) C.ToolmeshAnswer) error {
	var text []byte
	err := n.with(func(native *C.ToolmeshNode) (err error) {
		text, err = taken(question(native))
		return err
	})
	if err != nil {
		return err
	}
	return decode(text, value, what)
}

// ID is the number of the node in its mesh, 0 when it is closed.
func (n *Node) ID() uint64 {
	var id uint64
	_ = n.with(func(native *C.ToolmeshNode) error {
		id = uint64(C.toolmesh_node_id(native))
		return nil
	})
	return id
}

// ListensAt is where other nodes can connect to this one: what Connect of another takes. It is empty in memory and behind a
// router.
func (n *Node) ListensAt() ([]string, error) {
	var places []string
	err := n.ask(&places, "where the node listens", func(native *C.ToolmeshNode) C.ToolmeshAnswer {
		return C.toolmesh_node_listens_at(native)
	})
	for i, place := range places {
		places[i] = place[strings.LastIndex(place, "/")+1:]
	}
	return places, err
}

// Hosts are the numbers of the nodes that serve the tool which a call would reach.
func (n *Node) Hosts(tool string, options ...CallOption) ([]uint64, error) {
	how, err := optionsOf(context.Background(), options)
	if err != nil {
		return nil, err
	}
	var hosts []uint64
	err = n.ask(&hosts, "the hosts of a tool", func(native *C.ToolmeshNode) C.ToolmeshAnswer {
		name, nameLen := given(tool)
		text, textLen := given(how)
		return C.toolmesh_hosts(native, name, nameLen, text, textLen)
	})
	return hosts, err
}

// Close leaves the mesh: what is served is withdrawn, calls in both directions end, and so do sources. Closing twice is no fault.
func (n *Node) Close() {
	if n == nil {
		return
	}
	n.mutex.Lock()
	native, handles := n.native, n.handles
	n.native, n.handles = nil, nil
	n.mutex.Unlock()
	if native == nil {
		return
	}
	for handle := range handles {
		handle.Close()
	}
	close(n.over)
	C.toolmesh_node_close(native)
	C.toolmesh_node_free(native)
}
