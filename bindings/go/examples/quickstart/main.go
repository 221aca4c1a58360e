// One program serves a tool, another finds and calls it.
package main

import (
	"context"
	"fmt"
	"log"

	"toolmesh"
)

type search struct {
	Query string `json:"query" description:"What to look for."`
	Limit int    `json:"limit,omitempty" jsonschema:"minimum=1,default=3"`
}

func webSearch(_ context.Context, search search) ([]string, error) {
	hits := []string{}
	for n := range max(search.Limit, 1) {
		hits = append(hits, fmt.Sprintf("hit %d for %s", n, search.Query))
	}
	return hits, nil
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	// Two nodes of one process. On two machines, leave Engine out, give both a certificate and the key of `toolmesh mesh keys`, one
	// Listen, the other Connect.
	key := make([]byte, 32)
	host, err := toolmesh.Start(ctx, toolmesh.Options{Name: "host", Key: key, Engine: toolmesh.Memory})
	if err != nil {
		return err
	}
	defer host.Close()
	agent, err := toolmesh.Start(ctx, toolmesh.Options{Name: "agent", Key: key, Engine: toolmesh.Memory})
	if err != nil {
		return err
	}
	defer agent.Close()

	descriptor, err := toolmesh.DescriptorFor(toolmesh.ToolOptions{
		Name: "web_search", Description: "Searches the web.", Tags: []string{"web"},
	})
	if err != nil {
		return err
	}
	if _, err := toolmesh.RegisterTool(host, descriptor, webSearch); err != nil {
		return err
	}

	tools, err := toolmesh.ListTools(agent)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		fmt.Println(tool.ToolID, "-", *tool.Description)
	}
	hits, err := toolmesh.CallTool[search, []string](ctx, agent, "web_search", search{Query: "mesh", Limit: 2})
	if err != nil {
		return err
	}
	fmt.Println(hits)
	return nil
}
