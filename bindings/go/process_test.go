//go:build unix

package toolmesh

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// roleVariable makes this binary a program of a test.
const roleVariable = "TOOLMESH_GO_TEST_ROLE"

// roles are what it does then.
var roles = map[string]func(){
	"host": func() {
		node, err := Start(context.Background(), Options{Key: make([]byte, 32), Listen: "127.0.0.1:0"})
		if err == nil {
			_, err = RegisterTool(node, named("hello"), says("hello"))
		}
		fmt.Println("ready", err)
		select {}
	},
	"stdio": func() {
		interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		node, err := Start(interrupted, Options{})
		if err == nil {
			_, err = RegisterTool(node, named("hello"), func(context.Context, none) (place, error) {
				return place{"Bern"}, nil
			})
		}
		if err == nil {
			err = node.ServeMCPStdio(interrupted, ServerInfo{Name: "test"})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
	},
}

func program(t *testing.T, role string) *exec.Cmd {
	t.Helper()
	program := exec.Command(must(os.Executable())(t))
	program.Env = append(os.Environ(), roleVariable+"="+role)
	program.Stderr = os.Stderr
	return program
}

// ends waits for the end of a program, and ends it when it does not come.
func ends(t *testing.T, program *exec.Cmd) error {
	t.Helper()
	late := time.AfterFunc(time.Minute, func() { _ = program.Process.Kill() })
	err := program.Wait()
	if !late.Stop() {
		t.Fatal("the program went on")
	}
	return err
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
	`"clientInfo":{"name":"t","version":"0"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
	`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hello","arguments":{}}}` + "\n"

func TestInterruptEndsAProgramThatServes(t *testing.T) {
	program := program(t, "host")
	output := must(program.StdoutPipe())(t)
	must(none{}, program.Start())(t)
	line := must(bufio.NewReader(output).ReadString('\n'))(t)
	equal(t, line, "ready <nil>\n")
	must(none{}, program.Process.Signal(os.Interrupt))(t)
	_ = ends(t, program)
	status := program.ProcessState.Sys().(syscall.WaitStatus)
	equal(t, status.Signaled() && status.Signal() == syscall.SIGINT, true)
}

func TestAProgramIsAnMCPServerUntilItsInputEndsOrItIsInterrupted(t *testing.T) {
	for _, end := range []string{"input", "interrupt"} {
		program := program(t, "stdio")
		input, output := must(program.StdinPipe())(t), must(program.StdoutPipe())(t)
		must(none{}, program.Start())(t)
		must(input.Write([]byte(hello)))(t)
		answers := bufio.NewReader(output)
		for _, part := range []string{`"serverInfo"`, `Bern`} {
			if line := must(answers.ReadString('\n'))(t); !strings.Contains(line, part) {
				t.Fatal(line)
			}
		}
		if end == "input" {
			must(none{}, input.Close())(t)
		} else {
			must(none{}, program.Process.Signal(os.Interrupt))(t)
		}
		must(none{}, ends(t, program))(t)
	}
}
