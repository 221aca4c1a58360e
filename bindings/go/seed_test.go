package toolmesh

import (
	"context"
	"encoding/json"
	"testing"
)

type webSearchReq struct {
	Query string `json:"query"`
}

type webSearchResp struct {
	Results []string `json:"results"`
}

func TestTheExampleOfAHostAndItsCaller(t *testing.T) {
	host, agent := pair(t)
	descriptor := must(DescriptorFor(ToolOptions{
		Name: "web_search", Description: "Search the web for relevant pages.", Tags: []string{"web", "research"},
		InputSchema: map[string]any{"type": "object", "properties": map[string]any{
			"query": map[string]any{"type": "string"},
		}},
		EstimatedTimeMs: 500,
	}))(t)
	search := func(_ context.Context, req webSearchReq) (webSearchResp, error) {
		return webSearchResp{Results: []string{"hit for " + req.Query}}, nil
	}
	handle := must(RegisterTool[webSearchReq, webSearchResp](host, descriptor, search))(t)
	defer handle.Close()
	tools := must(ListTools(agent))(t)
	equal(t, len(tools), 1)
	equal(t, tools[0].NodeCount, uint32(1))
	tool := must(ToOpenAITool(tools[0]))(t)
	reply := map[string]any{"id": "c1", "type": "function", "function": map[string]any{
		"name": tool["function"].(map[string]any)["name"], "arguments": `{"query":"mesh"}`,
	}}
	spec := must(LowerOpenAIToolCall(reply))(t)
	var req webSearchReq
	must(none{}, json.Unmarshal([]byte(spec.ArgumentsJSON), &req))(t)
	resp := must(CallTool[webSearchReq, webSearchResp](ctx, agent, spec.Name, req))(t)
	equal(t, resp, webSearchResp{Results: []string{"hit for mesh"}})
	equal(t, must(FetchToolMetadata(ctx, agent, host.ID(), "web_search"))(t).Type, "found")
}

func TestPeersSeeThatAToolStreamsAndHowManyServeIt(t *testing.T) {
	a, agent := pair(t)
	b := start(t, Options{Name: "other", Key: key(t), Engine: Memory})
	changes, _, _, err := WatchTools(ctx, agent, WatchOptions{})
	must(none{}, err)(t)
	counts := func(_ context.Context, _ none, sink *ToolEventSink) error { return sink.Result(1) }
	streams(t, a, "counts", counts)
	added := received(t, changes)
	equal(t, added.Type, "added")
	equal(t, added.Descriptor.Streaming, true)
	streams(t, b, "counts", counts)
	more := received(t, changes)
	equal(t, more.Type, "node_count_changed")
	equal(t, []uint32{*more.PrevNodeCount, more.Descriptor.NodeCount}, []uint32{1, 2})
}

func TestAWatchWithAMatcherLeavesOthersOut(t *testing.T) {
	eu, agent := pair(t)
	us := start(t, Options{Name: "us", Key: key(t), Engine: Memory, Tags: []string{"region.us"}})
	changes, _, _, err := WatchTools(ctx, agent, WatchOptions{Matcher: TagPrefix("region.eu")})
	must(none{}, err)(t)
	serve(t, us, "american", says("us"))
	serve(t, eu, "european", says("eu"))
	equal(t, received(t, changes).Descriptor.ToolID, "european")
}
