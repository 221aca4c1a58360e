package toolmesh

import (
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// keys is a folder with the keys of a mesh, which `toolmesh mesh keys` makes.
type keys string

func keysOf(t *testing.T, names ...string) keys {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "keys")
	arguments := []string{"mesh", "keys", folder}
	for _, name := range names {
		arguments = append(arguments, "--node", name)
	}
	command := exec.Command(environment(t, "TOOLMESH_COMMAND"), arguments...)
	command.Stderr = os.Stderr
	must(none{}, command.Run())(t)
	return keys(folder)
}

func (k keys) file(name string) string { return filepath.Join(string(k), name) }

// options are those of a node with its certificate.
func (k keys) options(name string, connect ...string) Options {
	return Options{
		KeyFile: k.file("mesh.key"), Authority: k.file("authority.pem"), Certificate: k.file(name + ".pem"),
		PrivateKey: k.file(name + ".key"), Connect: connect,
	}
}

func seesATool(t *testing.T, node *Node) {
	t.Helper()
	changes, _, baseline, err := WatchTools(ctx, node, WatchOptions{})
	must(none{}, err)(t)
	if len(baseline) == 0 {
		received(t, changes)
	}
}

func TestNodesWithCertificatesOfOneAuthorityCallEachOtherByTheirNames(t *testing.T) {
	keys := keysOf(t, "tokens", "agent")
	host := start(t, keys.options("tokens"))
	served := serve(t, host, "who", func(ctx context.Context, _ none) (string, error) {
		caller, err := CallOf(ctx).Caller()
		if err != nil {
			return "", err
		}
		return *caller.Identity, nil
	})
	defer served.Close()
	agent := start(t, keys.options("agent", must(host.ListensAt())(t)...))
	seesATool(t, agent)
	equal(t, must(CallTool[none, string](ctx, agent, "who", none{}))(t), "agent")
}

func TestANodeOfAnotherAuthorityIsNotMetAndToldWhere(t *testing.T) {
	keys, others := keysOf(t, "tokens"), keysOf(t, "agent")
	host := start(t, keys.options("tokens"))
	serve(t, host, "who", says("hello"))
	options := others.options("agent", must(host.ListensAt())(t)...)
	options.KeyFile = keys.file("mesh.key")
	stranger := start(t, options)
	_, err := CallTool[none, string](ctx, stranger, "who", none{})
	is(t, err, ErrNoRoute)
	for _, part := range append(options.Connect, "another authority") {
		if !strings.Contains(err.Error(), part) {
			t.Fatal(err)
		}
	}
}

func TestACertificateThatCannotBeUsedIsRefusedAtTheStart(t *testing.T) {
	keys, others := keysOf(t, "tokens"), keysOf(t, "tokens")
	options := keys.options("tokens")
	options.Certificate = others.file("tokens.pem")
	_, err := Start(ctx, options)
	is(t, err, ErrConfiguration)
	_, err = Start(ctx, Options{KeyFile: keys.file("mesh.key"), Authority: keys.file("authority.pem")})
	is(t, err, ErrConfiguration)
	_, err = Start(ctx, Options{Authority: keys.file("authority.pem")})
	is(t, err, ErrInvalid)
}

func TestANodeSeesAndCallsTheToolsOfThoseAloneWhomItTrusts(t *testing.T) {
	key := make([]byte, 32)
	must(rand.Read(key))(t)
	in := func(trust *AccessList, name string) *Node {
		return start(t, Options{Key: key, Engine: Memory, Name: name, Trust: trust})
	}
	serve(t, in(nil, "tokens"), "pay", says("host"))
	thief := in(nil, "thief")
	newer := named("pay")
	newer.Version = "9.0.0"
	must(RegisterTool(thief, newer, says("thief")))(t)
	pay := func(node *Node) (string, error) { return CallTool[none, string](ctx, node, "pay", none{}) }
	equal(t, must(pay(in(&AccessList{Names: []string{"tokens"}}, "")))(t), "host")
	_, err := pay(in(&AccessList{}, ""))
	is(t, err, ErrNoRoute)
	equal(t, must(pay(in(nil, "")))(t), "thief")
}

func TestAccessRulesSayWhoMayCall(t *testing.T) {
	key := make([]byte, 32)
	must(rand.Read(key))(t)
	host := start(t, Options{Key: key, Engine: Memory, Access: &AccessRules{
		DenyUnlisted: true,
		Tools: map[string]*AccessList{
			"open_*": {Everybody: true}, "secret": {Names: []string{"friend"}}, "closed": {},
		},
	}})
	friend := start(t, Options{Key: key, Engine: Memory, Name: "friend"})
	other := start(t, Options{Key: key, Engine: Memory, Name: "other"})
	for _, name := range []string{"open_one", "secret", "closed", "unlisted"} {
		serve(t, host, name, says(name))
	}
	equal(t, names(t, friend), []string{"open_one", "secret"})
	equal(t, names(t, other), []string{"open_one"})
	numbered := start(t, Options{Key: key, Engine: Memory, Access: &AccessRules{
		Host: &AccessList{Nodes: []uint64{friend.ID()}},
	}})
	serve(t, numbered, "numbered", says("hello"))
	equal(t, names(t, friend), []string{"numbered", "open_one", "secret"})
	equal(t, names(t, other), []string{"open_one"})
}
