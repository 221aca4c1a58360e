// Package toolmesh serves, finds and calls typed tools that AI agents can call: on a mesh, over MCP, and in every model
// provider's format. The core is Rust, behind one C interface; this package needs no other module.
//
//	node, err := toolmesh.Start(ctx, toolmesh.Options{Name: "calculator"})
//	defer node.Close()
//	descriptor, err := toolmesh.DescriptorFor(toolmesh.ToolOptions{Name: "add", Description: "Adds two numbers."})
//	handle, err := toolmesh.RegisterTool(node, descriptor, func(ctx context.Context, sum Sum) (int, error) {
//		return sum.A + sum.B, nil
//	})
//	err = node.ServeMCPStdio(ctx, toolmesh.ServerInfo{Name: "calculator"})
//
// Schemas are derived from the types of a handler, see [SchemaFor]. A context that is cancelled cancels what was called with
// it, at the handler as well: the context that a handler is given ends when its caller gives up or the deadline passes. What
// fails is an [*Error] that [errors.Is] compares with [ErrNoRoute] and its siblings.
//
// Handlers run on goroutines of their own, and a call that waits holds a goroutine, never a thread.
package toolmesh
