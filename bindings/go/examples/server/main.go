// A whole MCP server: `go run . stdio` on standard input and output, `go run .` over HTTP.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"toolmesh"
)

type sum struct{ A, B float64 }
type total struct{ Total float64 }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	node, err := toolmesh.Start(ctx, toolmesh.Options{})
	if err != nil {
		return err
	}
	defer node.Close()
	add, err := toolmesh.DescriptorFor(toolmesh.ToolOptions{Name: "add", Description: "Adds two numbers."})
	if err != nil {
		return err
	}
	_, err = toolmesh.RegisterTool(node, add, func(_ context.Context, s sum) (total, error) { return total{s.A + s.B}, nil })
	if err != nil {
		return err
	}
	if slices.Contains(os.Args, "stdio") {
		return node.ServeMCPStdio(ctx, toolmesh.ServerInfo{Name: "calculator"})
	}
	server, err := node.ServeMCP(ctx, "127.0.0.1:0", toolmesh.ServerInfo{Name: "calculator"})
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Println(server.URL())
	<-ctx.Done()
	return nil
}
