package toolmesh

// #include "native.h"
import "C"

import (
	"context"
	"sync"
)

// ServerInfo is what an MCP server says of itself.
type ServerInfo struct {
	// Name is toolmesh unless said.
	Name string
	// Version is 0 unless said.
	Version string
}

func (i ServerInfo) said() ServerInfo {
	if i.Name == "" {
		i.Name = "toolmesh"
	}
	if i.Version == "" {
		i.Version = "0"
	}
	return i
}

// MCPServer is an MCP server on a port. Closing it, or its node, stops it.
type MCPServer struct {
	url    string
	once   sync.Once
	native *C.ToolmeshEndpoint
}

// ServeMCP serves all tools of this program, its own and those of its sources, over MCP at /mcp. The address is HOST:PORT,
// :PORT or a port; port 0 lets the system choose. Who may call is what [server] of the configuration says. The context bounds
// the start alone. It fails with [ErrInvalid] for the address, [ErrConfiguration], [ErrSystem] when it is taken, and [ErrClosed].
func (n *Node) ServeMCP(ctx context.Context, address string, info ServerInfo) (*MCPServer, error) {
	info = info.said()
	begin := func(native *C.ToolmeshNode, _ *C.ToolmeshToken, context C.uint64_t) {
		place, placeLen := given(address)
		name, nameLen := given(info.Name)
		version, versionLen := given(info.Version)
		C.toolmesh_serve_mcp_http(native, place, placeLen, name, nameLen, version, versionLen,
			C.ToolmeshEndpointOpened(C.toolmeshGoEndpointOpened), context)
	}
	native, _, err := awaitOf[*C.ToolmeshEndpoint](ctx, n, begin)
	if err != nil {
		return nil, err
	}
	return &MCPServer{url: borrowed(C.toolmesh_endpoint_url(native)), native: native}, nil
}

// URL is where to point a client.
func (s *MCPServer) URL() string {
	if s == nil {
		return ""
	}
	return s.url
}

// Close stops the server: calls in flight are finished. Closing twice is no fault.
func (s *MCPServer) Close() {
	if s == nil {
		return
	}
	s.once.Do(func() {
		_, _, _ = await[struct{}](context.Background(), func(_ *C.ToolmeshToken, context C.uint64_t) {
			C.toolmesh_endpoint_stop(s.native, C.ToolmeshDone(C.toolmeshGoDone), context)
		})
		C.toolmesh_endpoint_free(s.native)
	})
}

// ServeMCPStdio serves all tools of this program over MCP on standard input and output, until the input ends or the context
// does; calls in flight are finished then. Nothing else may write to standard output meanwhile. That the context ended is no
// failure.
func (n *Node) ServeMCPStdio(ctx context.Context, info ServerInfo) error {
	info = info.said()
	begin := func(native *C.ToolmeshNode, cancel *C.ToolmeshToken, context C.uint64_t) {
		name, nameLen := given(info.Name)
		version, versionLen := given(info.Version)
		C.toolmesh_serve_mcp_stdio(native, name, nameLen, version, versionLen, cancel,
			C.ToolmeshDone(C.toolmeshGoDone), context)
	}
	_, _, err := awaitOf[struct{}](ctx, n, begin)
	return err
}
