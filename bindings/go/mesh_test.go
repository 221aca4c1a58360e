package toolmesh

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

type none struct{}

func says(word string) func(context.Context, none) (string, error) {
	return func(context.Context, none) (string, error) { return word, nil }
}

func TestServingAnnouncesAndClosingWithdraws(t *testing.T) {
	host, agent := pair(t)
	watching, stop := context.WithCancel(ctx)
	changes, errs, baseline, err := WatchTools(watching, agent, WatchOptions{})
	must(none{}, err)(t)
	equal(t, len(baseline), 0)
	descriptor := must(DescriptorFor(ToolOptions{
		Name: "hello", Description: "Says hello.", Tags: []string{"greeting"}, EstimatedTimeMs: 5,
	}))(t)
	handle := must(RegisterTool(host, descriptor, says("hello")))(t)
	added := received(t, changes)
	equal(t, added.Type, "added")
	equal(t, *added.Descriptor.Description, "Says hello.")
	equal(t, added.Descriptor.Tags, []string{"greeting"})
	equal(t, added.Descriptor.EstimatedTimeMs, uint32(5))
	handle.Close()
	handle.Close()
	equal(t, received(t, changes).Type, "removed")
	equal(t, names(t, agent), []string{})
	stop()
	if _, open := <-changes; open {
		t.Fatal("a watch whose context ended goes on")
	}
	if err, open := <-errs; open {
		t.Fatal(err)
	}
}

func TestAWatchEndsWithItsNode(t *testing.T) {
	_, agent := pair(t)
	changes, _, _, err := WatchTools(ctx, agent, WatchOptions{Matcher: TagPrefix("region")})
	must(none{}, err)(t)
	agent.Close()
	if change, open := <-changes; open {
		t.Fatal(change)
	}
}

func TestAWatchThatNobodyReadsEndsWithItsNode(t *testing.T) {
	host, agent := pair(t)
	must3 := func(_ <-chan ToolListChange, _ <-chan error, _ []ToolDescriptor, err error) { must(none{}, err)(t) }
	must3(WatchTools(ctx, agent, WatchOptions{}))
	serve(t, host, "hello", says("hello"))
	follows := func() bool {
		stacks := make([]byte, 1<<20)
		return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "toolmesh.follow")
	}
	agent.Close()
	for until := time.Now().Add(time.Minute); follows(); runtime.Gosched() {
		if time.Now().After(until) {
			t.Fatal("what follows the list is still there")
		}
	}
}

func TestAToolWhoseHandleIsNotKeptStaysUntilItsNodeIsClosed(t *testing.T) {
	host, agent := pair(t)
	serve(t, host, "hello", says("hello"))
	equal(t, must(CallTool[none, string](ctx, agent, "hello", none{}))(t), "hello")
	host.Close()
	equal(t, names(t, agent), []string{})
}

func TestMatchersAndVersionsChoose(t *testing.T) {
	host, agent := pair(t)
	for _, version := range []string{"1.0.0", "2.0.0"} {
		descriptor := must(DescriptorFor(ToolOptions{Name: "v", Version: version}))(t)
		must(RegisterTool(host, descriptor, says(version)))(t)
	}
	equal(t, names(t, agent, Matching(TagPrefix("region.eu"))), []string{"v", "v"})
	equal(t, names(t, agent, Matching(TagExact("region.us"))), []string{})
	equal(t, must(CallTool[none, string](ctx, agent, "v", none{}))(t), "2.0.0")
	equal(t, must(CallTool[none, string](ctx, agent, "v", none{}, WithVersion("^1")))(t), "1.0.0")
	equal(t, must(agent.Hosts("v"))(t), []uint64{host.ID()})
	_, err := CallTool[none, string](ctx, agent, "v", none{}, WithVersion("^3"))
	is(t, err, ErrNoRoute)
	_, err = ListTools(agent, Matching(TagRegex("(")))
	is(t, err, ErrInvalid)
}

func TestASchemaOf100KBIsFetched(t *testing.T) {
	host, agent := pair(t)
	comment := strings.Repeat("x", 100_000)
	descriptor := must(DescriptorFor(ToolOptions{
		Name: "big", InputSchema: map[string]any{"type": "object", "$comment": comment},
	}))(t)
	must(RegisterTool(host, descriptor, says("")))(t)
	if listed := must(ListTools(agent))(t)[0]; listed.InputSchema != nil {
		t.Fatal("the list has it already")
	}
	whole := must(DescribeTool(ctx, agent, "big"))(t)
	found := must(FetchToolMetadata(ctx, agent, host.ID(), "big"))(t)
	equal(t, found.Type, "found")
	equal(t, found.Descriptor.InputSchema, whole.InputSchema)
	if !strings.Contains(*whole.InputSchema, comment) {
		t.Fatal(*whole.InputSchema)
	}
	equal(t, must(FetchToolMetadata(ctx, agent, host.ID(), "none"))(t), ToolMetadata{Type: "not_found", Name: "none"})
}

func TestAContractIsASourceAndTheProgramAnMCPServer(t *testing.T) {
	token := filepath.Join("..", "..", "examples", "token.json")
	node := start(t, Options{Sources: []string{token}})
	serve(t, node, "own", says("own"))
	there := names(t, node)
	for _, name := range []string{"own", "transfer", "balance_of"} {
		if !slices.Contains(there, name) {
			t.Fatalf("%s is not among %v", name, there)
		}
	}
	must(CallTool[none, any](ctx, node, "decimals", none{}))(t)
	server := must(node.ServeMCP(ctx, "127.0.0.1:0", ServerInfo{Name: "test"}))(t)
	if !strings.HasPrefix(server.URL(), "http://127.0.0.1:") || !strings.HasSuffix(server.URL(), "/mcp") {
		t.Fatal(server.URL())
	}
	server.Close()
	server.Close()
}

func TestASourceThatIsNotThereIsNamed(t *testing.T) {
	_, err := Start(ctx, Options{Sources: []string{"/nowhere/at/all.json"}})
	is(t, err, ErrConfiguration)
	if !strings.Contains(err.Error(), "/nowhere/at/all.json") {
		t.Fatal(err)
	}
}

func TestNodesOnANetworkFindAndCallEachOther(t *testing.T) {
	host := start(t, Options{Name: "host", Key: key(t)})
	places := must(host.ListensAt())(t)
	agent := start(t, Options{Name: "agent", Key: key(t), Connect: places})
	changes, _, _, err := WatchTools(ctx, agent, WatchOptions{})
	must(none{}, err)(t)
	serve(t, host, "hello", says("over the network"))
	equal(t, received(t, changes).Descriptor.ToolID, "hello")
	equal(t, must(CallTool[none, string](ctx, agent, "hello", none{}))(t), "over the network")
}

func TestAKeyOfAnotherLengthIsRefusedAndNotRepeated(t *testing.T) {
	_, err := Start(ctx, Options{Key: []byte("a secret")})
	is(t, err, ErrInvalid)
	if strings.Contains(err.Error(), "secret") {
		t.Fatal(err)
	}
}

func is(t *testing.T, err error, kind Kind) {
	t.Helper()
	var told *Error
	if !errors.Is(err, kind) || !errors.As(err, &told) {
		t.Fatalf("have %v (%#v), want %s", err, err, kind)
	}
}
