package toolmesh

// #include "native.h"
import "C"

import (
	"context"
	"encoding/hex"
	"runtime/cgo"
	"strings"
	"sync"
)

// Options set up a node. Everything is optional.
type Options struct {
	// Name is what the node is called, for logs and as the identity of its calls.
	Name string
	// Key is the key of the mesh, 32 bytes. Nodes with another key neither see nor reach this one; without a key the node is
	// in a mesh of its own.
	Key []byte
	// Engine is what carries the mesh: a network when there is a key, unless said.
	Engine Engine
	// Listen is where the node listens on the network, 127.0.0.1:0 unless said: the system chooses the port.
	Listen string
	// Connect names nodes that are there, as HOST:PORT.
	Connect []string
	// Routers names routers to connect to instead, as HOST:PORT.
	Routers []string
	// Multicast lets nodes of one network segment find each other.
	Multicast bool
	// Tags are what the node tells of itself: region.eu, hardware.gpu=h100.
	Tags []string
	// Allowed is who may see and call its tools; everybody in the mesh when it is empty.
	Allowed Allowed
	// Config is a file toolmesh.toml with sources, policies and limits.
	Config string
	// Sources are what `toolmesh serve` takes: files with contracts, 0x...@mainnet, calimero:URL, mcp:COMMAND.
	Sources []string
}

// Engine is what carries a mesh.
type Engine string

const (
	// Memory joins the nodes of this process that have one key.
	Memory Engine = "memory"
	// Zenoh is a network, without a broker.
	Zenoh Engine = "zenoh"
)

// Allowed is who may see and call a node's tools: whoever is in any of the lists.
type Allowed struct {
	// Nodes by their numbers.
	Nodes []uint64 `json:"nodes,omitempty"`
	// Subnets, as the engine vouches for them.
	Subnets []uint32 `json:"subnets,omitempty"`
	// Groups, 32 bytes in hexadecimal each, as the engine vouches for them.
	Groups []string `json:"groups,omitempty"`
}

// nodeOptions is how Options cross.
type nodeOptions struct {
	Name      string   `json:"name,omitempty"`
	Key       string   `json:"key,omitempty"`
	Engine    Engine   `json:"engine,omitempty"`
	Listen    string   `json:"listen,omitempty"`
	Connect   []string `json:"connect,omitempty"`
	Routers   []string `json:"routers,omitempty"`
	Multicast bool     `json:"multicast,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	Allowed   *Allowed `json:"allowed,omitempty"`
	Config    string   `json:"config,omitempty"`
	Sources   []string `json:"sources,omitempty"`
}

// Node is a whole Toolmesh program: its own tools, its sources, its place in a mesh, and an MCP server. Its methods may be
// used from several goroutines. It ends with [Node.Close].
type Node struct {
	mutex   sync.RWMutex
	native  *C.ToolmeshNode
	handles map[*ToolServeHandle]struct{}
}

// Start starts a node: its sources are started, and it joins the mesh. The context bounds the start alone.
func Start(ctx context.Context, options Options) (*Node, error) {
	if err := checkABI(); err != nil {
		return nil, err
	}
	return startFor(ctx, abiVersion, options)
}

// startFor starts a node as a program built for that version does.
func startFor(ctx context.Context, version uint32, options Options) (*Node, error) {
	crossing := nodeOptions{
		Name: options.Name, Key: hex.EncodeToString(options.Key), Engine: options.Engine, Listen: options.Listen,
		Connect: options.Connect, Routers: options.Routers, Multicast: options.Multicast, Tags: options.Tags,
		Allowed: &options.Allowed, Config: options.Config, Sources: options.Sources,
	}
	text, err := encode(crossing, "the options of a node")
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
	return &Node{native: native, handles: make(map[*ToolServeHandle]struct{})}, nil
}

// with runs work on the library's node, which is not freed meanwhile. work must not wait.
func (n *Node) with(work func(native *C.ToolmeshNode) error) error {
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

// Close leaves the mesh: what is served is withdrawn, and calls in both directions end. Closing twice is no fault.
func (n *Node) Close() {
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
	C.toolmesh_node_close(native)
	C.toolmesh_node_free(native)
}
