package toolmesh

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Options set up a node. Everything is optional.
type Options struct {
	// Name is what the node is called, for logs and as the identity of its calls, where it has no certificate.
	Name string
	// Key is the key of the mesh, 32 bytes. Nodes with another key neither see nor reach this one; without a key the node is
	// in a mesh of its own.
	Key []byte
	// KeyFile is the file that holds the key as 64 hexadecimal digits, in its place; `toolmesh mesh keys` makes one.
	KeyFile string
	// Engine is what carries the mesh: a network when there is a key, unless said.
	Engine Engine
	// Listen is where the node listens on the network, 127.0.0.1:0 unless said: the system chooses the port.
	Listen string
	// Connect names nodes that are there, as HOST:PORT.
	Connect []string
	// Routers names routers to connect to instead, as HOST:PORT.
	Routers []string
	// Multicast lets nodes of one network segment find each other. What Config or the environment turns on stays on without it.
	Multicast bool
	// Plaintext lets the node listen beyond this machine without a certificate. What Config or the environment turns on stays on
	// without it.
	Plaintext bool
	// Authority, Certificate and PrivateKey are PEM files, all three or none. With them nodes meet only nodes with a certificate
	// of that authority, over TLS, and are who their certificates say.
	Authority, Certificate, PrivateKey string
	// Access is who may see and call what; everybody in the mesh when it is nil.
	Access *AccessRules
	// Trust is whose tools the node sees and calls, beside its own; everybody's when it is nil. Set it where the members of the
	// mesh do not all trust each other: whoever serves a tool of the same name takes a share of its calls.
	Trust *AccessList
	// Tags are what the node tells of itself: region.eu, hardware.gpu=h100.
	Tags []string
	// Allowed is who may use the node at all; everybody in the mesh when it is empty.
	Allowed Allowed
	// Config is a file toolmesh.toml with sources, policies, limits and [mesh]; what is said here goes before it.
	Config string
	// Sources are what `toolmesh serve` takes: files with contracts, 0x...@mainnet, calimero:URL, mcp:COMMAND, and mesh: for
	// MCP clients to have what other nodes serve.
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
	Name        string       `json:"name,omitempty"`
	Key         string       `json:"key,omitempty"`
	KeyFile     string       `json:"key_file,omitempty"`
	Engine      Engine       `json:"engine,omitempty"`
	Listen      string       `json:"listen,omitempty"`
	Connect     []string     `json:"connect,omitempty"`
	Routers     []string     `json:"routers,omitempty"`
	Multicast   bool         `json:"multicast,omitempty"`
	Plaintext   bool         `json:"plaintext,omitempty"`
	Authority   string       `json:"authority,omitempty"`
	Certificate string       `json:"certificate,omitempty"`
	PrivateKey  string       `json:"private_key,omitempty"`
	Access      *AccessRules `json:"access,omitempty"`
	Trust       *AccessList  `json:"trust,omitempty"`
	Tags        []string     `json:"tags,omitempty"`
	Allowed     *Allowed     `json:"allowed,omitempty"`
	Config      string       `json:"config,omitempty"`
	Sources     []string     `json:"sources,omitempty"`
}

func (o Options) crossing() nodeOptions {
	return nodeOptions{
		Name: o.Name, Key: hex.EncodeToString(o.Key), KeyFile: o.KeyFile, Engine: o.Engine, Listen: o.Listen,
		Connect: o.Connect, Routers: o.Routers, Multicast: o.Multicast, Plaintext: o.Plaintext,
		Authority: o.Authority, Certificate: o.Certificate, PrivateKey: o.PrivateKey, Access: o.Access, Trust: o.Trust,
		Tags: o.Tags, Allowed: &o.Allowed, Config: o.Config, Sources: o.Sources,
	}
}

// AccessRules are who may see and call what at a node. What is not understood is refused.
type AccessRules struct {
	// Host is who may use the node at all.
	Host *AccessList `json:"host,omitempty"`
	// Tools is who may use which tools, by any of their names, or by a pattern: * stands for any characters, ? for one. A name goes
	// before patterns, and of these the one with most characters of its own.
	Tools map[string]*AccessList `json:"tools,omitempty"`
	// DenyUnlisted closes the tools that no entry of Tools names.
	DenyUnlisted bool `json:"-"`
	// Gateways is who may call for somebody else; nobody unless said.
	Gateways *AccessList `json:"gateways,omitempty"`
}

// AccessList is who may: whoever one of its members names. An empty one is nobody.
type AccessList struct {
	// Everybody may, whatever the other members say.
	Everybody bool `json:"-"`
	// Nodes by their numbers.
	Nodes []uint64 `json:"-"`
	// Names are those of certificates; in memory, those that nodes were given.
	Names []string `json:"names,omitempty"`
	// Subnets, as certificates tell them.
	Subnets []uint32 `json:"subnets,omitempty"`
	// Groups, as certificates tell them: 64 hexadecimal digits each.
	Groups []string `json:"groups,omitempty"`
	// Clients are those behind gateways, by their identities.
	Clients []string `json:"clients,omitempty"`
	// AnyClient allows every client behind a gateway, those without an identity too.
	AnyClient bool `json:"any_client,omitempty"`
}

// MarshalJSON writes the rules as [mesh] of the configuration has them.
func (r AccessRules) MarshalJSON() ([]byte, error) {
	type plain AccessRules
	unlisted := ""
	if r.DenyUnlisted {
		unlisted = "deny"
	}
	return json.Marshal(struct {
		plain
		Unlisted string `json:"unlisted,omitempty"`
	}{plain(r), unlisted})
}

// MarshalJSON writes the list as [mesh] of the configuration has it.
func (l AccessList) MarshalJSON() ([]byte, error) {
	if l.Everybody {
		return []byte(`"everybody"`), nil
	}
	type plain AccessList
	nodes := make([]string, len(l.Nodes))
	for i, node := range l.Nodes {
		nodes[i] = fmt.Sprintf("%016x", node)
	}
	return json.Marshal(struct {
		plain
		Nodes []string `json:"nodes,omitempty"`
	}{plain(l), nodes})
}
