//go:build unix

package toolmesh

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// environment is what the tests are given.
func environment(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set: run `cargo xtask test --only bindings`", name)
	}
	return value
}

// session is what the `mcp` client from PyPI tells of a server.
type session struct {
	Tools []struct {
		Name, Description string
	}
	Results []struct {
		IsError    bool           `json:"is_error"`
		Structured map[string]any `json:"structured"`
		Error      map[string]any `json:"error"`
	}
}

// converse drives a server, a command or a URL, with that client.
func converse(t *testing.T, server map[string]any, steps ...map[string]any) session {
	t.Helper()
	server["mode"], server["steps"] = "legacy", steps
	plan := must(json.Marshal(server))(t)
	script := filepath.Join("..", "..", "crates", "testkit", "clients", "python", "session.py")
	client := exec.Command(environment(t, "TOOLMESH_PYTHON"), script, string(plan))
	client.Stderr = os.Stderr
	var told session
	must(none{}, json.Unmarshal(must(client.Output())(t), &told))(t)
	return told
}

// server is the example, built.
func server(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "server")
	build := exec.Command("go", "build", "-o", program, "./examples/server")
	build.Stderr = os.Stderr
	must(none{}, build.Run())(t)
	return program
}

func adds(t *testing.T, server map[string]any) {
	t.Helper()
	told := converse(t, server,
		map[string]any{"tool": "add", "arguments": map[string]any{"A": 2, "B": 40}},
		map[string]any{"tool": "add", "arguments": map[string]any{"A": "two"}})
	equal(t, len(told.Tools), 1)
	equal(t, told.Tools[0].Name+": "+told.Tools[0].Description, "add: Adds two numbers.")
	equal(t, told.Results[0].Structured, map[string]any{"Total": 42.0})
	equal(t, told.Results[1].IsError || told.Results[1].Error != nil, true)
}

func TestAFewLinesAreAnMCPServerOnStandardInputAndOutput(t *testing.T) {
	program := server(t)
	// The client gives its servers few variables; the library is linked by its place.
	adds(t, map[string]any{"command": []string{program, "stdio"}})
}

func TestAFewLinesAreAnMCPServerOverHTTPUntilTheyAreToldToEnd(t *testing.T) {
	binary := server(t)
	for _, end := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		program := exec.Command(binary)
		program.Stderr = os.Stderr
		output := must(program.StdoutPipe())(t)
		must(none{}, program.Start())(t)
		url := must(bufio.NewReader(output).ReadString('\n'))(t)
		adds(t, map[string]any{"url": strings.TrimSpace(url)})
		must(none{}, program.Process.Signal(end))(t)
		must(none{}, ends(t, program))(t)
	}
}

func TestContractsAndWhatOtherNodesServeAreToolsForMCPClients(t *testing.T) {
	key := make([]byte, 32)
	must(rand.Read(key))(t)
	host := start(t, Options{Key: key, Sources: []string{filepath.Join("..", "..", "examples", "token.json")}})
	front := start(t, Options{Key: key, Connect: must(host.ListensAt())(t), Sources: []string{"mesh:"}})
	for _, node := range []*Node{host, front} {
		endpoint := must(node.ServeMCP(ctx, "127.0.0.1:0", ServerInfo{}))(t)
		told := converse(t, map[string]any{"url": endpoint.URL()}, map[string]any{"tool": "decimals"})
		equal(t, told.Results[0].Structured["result"], any(18.0))
		endpoint.Close()
	}
}

func TestAnApplicationOfACalimeroNodeIsASource(t *testing.T) {
	node := start(t, Options{Sources: []string{"calimero:" + environment(t, "TOOLMESH_CALIMERO_NODE")}})
	entry := map[string]string{"key": rand.Text(), "value": "v", "_context": "room"}
	must(CallTool[any, any](ctx, node, "kv_store_set", entry))(t)
	delete(entry, "value")
	got := must(CallTool[any, map[string]any](ctx, node, "kv_store_get", entry))(t)
	equal(t, got, map[string]any{"result": "v"})
}

func TestAnAddressThatIsTakenIsNamed(t *testing.T) {
	node := start(t, Options{})
	first := must(node.ServeMCP(ctx, "127.0.0.1:0", ServerInfo{}))(t)
	defer first.Close()
	place := strings.TrimSuffix(strings.TrimPrefix(first.URL(), "http://"), "/mcp")
	_, err := node.ServeMCP(ctx, place, ServerInfo{})
	is(t, err, ErrSystem)
	if !strings.Contains(err.Error(), place) {
		t.Fatal(err)
	}
}

// A write to who is gone may raise SIGPIPE, which would end the program.
func TestClientsThatLeaveBeforeTheirAnswersDoNotEndTheProgram(t *testing.T) {
	node := start(t, Options{})
	endpoint := must(node.ServeMCP(ctx, "127.0.0.1:0", ServerInfo{}))(t)
	defer endpoint.Close()
	place := strings.TrimSuffix(strings.TrimPrefix(endpoint.URL(), "http://"), "/mcp")
	ask := func() *http.Request {
		request := must(http.NewRequest(http.MethodPost, endpoint.URL(), strings.NewReader("{")))(t)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		return request
	}
	for range 50 {
		connection := must(net.Dial("tcp", place))(t).(*net.TCPConn)
		must(none{}, connection.SetLinger(0))(t)
		for range 10 {
			must(none{}, ask().Write(connection))(t)
		}
		connection.Close()
	}
	must(none{}, must(http.DefaultClient.Do(ask()))(t).Body.Close())(t)
}
