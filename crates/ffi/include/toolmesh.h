// Toolmesh for C: typed tools that AI agents can call, served and found on a mesh and over MCP.
//
// Version. A program is built with TOOLMESH_ABI_VERSION of this header and hands it to toolmesh_node_start; a library of
// another version refuses. toolmesh_abi_version tells the library's. Every incompatible change raises the number.
//
// Texts. What crosses is JSON or plain text in UTF-8, with its length, without a closing zero. What a program hands in is
// copied before the function returns. A ToolmeshText that comes back belongs to the object that it was asked of. A
// ToolmeshAnswer, returned or handed to a callback, belongs to who receives it: toolmesh_answer_free.
//
// Objects. Each has a function toolmesh_..._free, to be called once; what is under way meanwhile goes on and keeps what it
// needs. Freeing NULL does nothing. Using an object after it was freed is an error that nobody can detect.
//
// Waiting. No function waits. What takes time is begun, and tells its end to a callback, exactly once, whatever happens: a
// wrong argument, a cancelled token and a closed node included. A callback that is NULL is not told. `context` is the
// program's own, a number or a pointer, and comes back as it is.
//
// Threads. Every function may be called from any thread, several at once on one object, and from a callback, with two
// exceptions: toolmesh_node_close and the functions that free are not called from a callback of that same object's work.
// Callbacks come on threads of the library, or on the calling thread before the function returns. They must not wait and
// must not throw: the thread belongs to every call of the process. Nothing of the library survives fork().
//
// Failures. A code other than TOOLMESH_CODE_OK comes with a text for people. Nothing unwinds into the program: where the
// library itself fails, the code is TOOLMESH_CODE_PANICKED.


#ifndef TOOLMESH_H
#define TOOLMESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of the C interface; it grows with every incompatible change.
#define TOOLMESH_ABI_VERSION 1

// How something ended.
enum ToolmeshCode
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
    // Nothing failed.
    TOOLMESH_CODE_OK = 0,
    // Nothing follows: the last event or change has come.
    TOOLMESH_CODE_END = -1,
    // The library itself failed; what was under way is over.
    TOOLMESH_CODE_PANICKED = -2,
    // A model's reply holds no tool call of that provider's form.
    TOOLMESH_CODE_NO_TOOL_CALL = -3,
    // No node that this one can see serves the tool, meets the predicate and has the version.
    TOOLMESH_CODE_NO_ROUTE = 1,
    // The deadline passed.
    TOOLMESH_CODE_TIMEOUT = 2,
    // The caller gave up.
    TOOLMESH_CODE_CANCELLED = 3,
    // The host does not let this node call.
    TOOLMESH_CODE_DENIED = 4,
    // The arguments do not fit the tool's schema.
    TOOLMESH_CODE_INVALID_ARGUMENTS = 5,
    // The tool itself says no; the text is its own.
    TOOLMESH_CODE_TOOL_FAILED = 6,
    // The host answered with another status.
    TOOLMESH_CODE_SERVER = 7,
    // The way to the host failed.
    TOOLMESH_CODE_TRANSPORT = 8,
    // A text is not the JSON that it has to be.
    TOOLMESH_CODE_JSON = 9,
    // A descriptor, an option or another argument is not allowed.
    TOOLMESH_CODE_INVALID = 10,
    // This node serves this version of the tool already.
    TOOLMESH_CODE_ALREADY_SERVING = 11,
    // A source or a configuration cannot be used.
    TOOLMESH_CODE_CONFIGURATION = 12,
    // The node, stream or call is over.
    TOOLMESH_CODE_CLOSED = 13,
    // The system refuses something: threads, an address, a file.
    TOOLMESH_CODE_SYSTEM = 14,
};
#ifndef __cplusplus
typedef int32_t ToolmeshCode;
#endif // __cplusplus

// A call that a handler of the program has begun.
typedef struct ToolmeshCall ToolmeshCall;

// The changes of the list of tools.
typedef struct ToolmeshChanges ToolmeshChanges;

// An MCP server on a port. Freeing it stops it, without waiting.
typedef struct ToolmeshEndpoint ToolmeshEndpoint;

// The events of a call; the last is terminal. Freeing it cancels the call.
typedef struct ToolmeshEvents ToolmeshEvents;

// A whole Toolmesh program: its own tools, its sources, its place in a mesh.
typedef struct ToolmeshNode ToolmeshNode;

// A tool that is served. Freeing it withdraws the tool; calls that run go on.
typedef struct ToolmeshServed ToolmeshServed;

// Cancels everything that was begun with it.
typedef struct ToolmeshToken ToolmeshToken;

// Tools translated as a whole for one provider.
typedef struct ToolmeshToolset ToolmeshToolset;

// How something ended; it belongs to who receives it, see `toolmesh_answer_free`.
typedef struct ToolmeshAnswer {
    // A ToolmeshCode.
    int32_t code;
    // The status with which the host answered, or 0.
    uint32_t status;
    // The result's first byte, or that of the reason why there is none, or NULL when there are no bytes.
    uint8_t *data;
    // How many bytes there are.
    size_t len;
} ToolmeshAnswer;

// A text of an object; it is there as long as the object.
typedef struct ToolmeshText {
    // The first byte, or NULL when there is none.
    const uint8_t *data;
    // How many bytes there are.
    size_t len;
} ToolmeshText;

// Is told how something ended: exactly once, on a thread of the library or before the function that began it returns. It
// must not wait. The answer is the program's to free.
typedef void (*ToolmeshDone)(uint64_t context, struct ToolmeshAnswer answer);

// Is told that a call streams, or why it does not: `events` is NULL then. Otherwise as ToolmeshDone.
typedef void (*ToolmeshEventsOpened)(uint64_t context,
                                     struct ToolmeshEvents *events,
                                     struct ToolmeshAnswer answer);

// Begins a call: `call` is the program's, to be answered with `toolmesh_call_finish` or `toolmesh_call_fail` from any thread,
// and freed. It must not wait.
typedef void (*ToolmeshBegin)(uint64_t context, struct ToolmeshCall *call);

// Is told once that no call begins any more, so that the program may let go of what `context` stands for.
typedef void (*ToolmeshRelease)(uint64_t context);

// Is told exactly once how a watch over a call ended: `cancelled` when the caller gave up or the deadline passed, without it
// when the call was freed before.
typedef void (*ToolmeshWatched)(uint64_t context, bool cancelled);

// Is told that a server listens, or why it does not: `endpoint` is NULL then. Otherwise as ToolmeshDone.
typedef void (*ToolmeshEndpointOpened)(uint64_t context,
                                       struct ToolmeshEndpoint *endpoint,
                                       struct ToolmeshAnswer answer);

// Is told that a node has started, or why it has not: `node` is NULL then. Otherwise as ToolmeshDone.
typedef void (*ToolmeshNodeStarted)(uint64_t context, struct ToolmeshNode *node, struct ToolmeshAnswer answer);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the C interface that this library has. A program built for another one must not go on.
uint32_t toolmesh_abi_version(void);

// Frees the text of an answer.
//
// # Safety
// The answer came from this library, and was not freed before.
void toolmesh_answer_free(struct ToolmeshAnswer answer);

// A code as a word in snake case, which never changes: `no_route`. A number that is no code has no bytes.
struct ToolmeshText toolmesh_code_word(int32_t code);

// Calls a tool; the answer is its result as JSON. `arguments` is a JSON object; `options` one as well, everything in it
// optional: `deadline_ms`, `version` (`^1.2`), `where`, `routing` (`round_robin`, `random`, `sticky`, `lowest_latency`),
// `sticky_key`, `headers`, `stream_window`, `idempotency_key`.
//
// # Safety
// The node was not freed, the texts are readable bytes, the callback follows the rules above.
void toolmesh_call(const struct ToolmeshNode *node,
                   const uint8_t *tool,
                   size_t tool_len,
                   const uint8_t *arguments,
                   size_t arguments_len,
                   const uint8_t *options,
                   size_t options_len,
                   const struct ToolmeshToken *cancel,
                   ToolmeshDone done,
                   uint64_t context);

// Calls a tool, and reads its events while it runs; arguments and options as `toolmesh_call`.
//
// # Safety
// As `toolmesh_call`.
void toolmesh_call_streaming(const struct ToolmeshNode *node,
                             const uint8_t *tool,
                             size_t tool_len,
                             const uint8_t *arguments,
                             size_t arguments_len,
                             const uint8_t *options,
                             size_t options_len,
                             const struct ToolmeshToken *cancel,
                             ToolmeshEventsOpened opened,
                             uint64_t context);

// The whole descriptor of the tool that a call would reach, schemas included; the options as `toolmesh_call`.
//
// # Safety
// As `toolmesh_call`.
void toolmesh_describe(const struct ToolmeshNode *node,
                       const uint8_t *tool,
                       size_t tool_len,
                       const uint8_t *options,
                       size_t options_len,
                       const struct ToolmeshToken *cancel,
                       ToolmeshDone done,
                       uint64_t context);

// Asks one node for the whole descriptor of a tool: `{"type": "found", "descriptor": ...}` or `{"type": "not_found", ...}`.
//
// # Safety
// As `toolmesh_call`.
void toolmesh_fetch_metadata(const struct ToolmeshNode *node,
                             uint64_t host,
                             const uint8_t *tool,
                             size_t tool_len,
                             const struct ToolmeshToken *cancel,
                             ToolmeshDone done,
                             uint64_t context);

// A tool in the plain form of `openai`, `anthropic`, `mcp` or `gemini`, as JSON.
//
// # Safety
// The texts are readable bytes.
struct ToolmeshAnswer toolmesh_to_tool(const uint8_t *format,
                                       size_t format_len,
                                       const uint8_t *descriptor,
                                       size_t descriptor_len);

// A model's call of a tool, from the plain form of a provider: `{"name", "arguments_json", "provider_call_id" or null}`.
// TOOLMESH_CODE_NO_TOOL_CALL when there is none.
//
// # Safety
// The texts are readable bytes.
struct ToolmeshAnswer toolmesh_lower_call(const uint8_t *format,
                                          size_t format_len,
                                          const uint8_t *reply,
                                          size_t reply_len);

// Translates tools (a JSON array of descriptors) for `openai`, `openai-responses`, `anthropic`, `gemini` or `mcp`, with names
// and schemas that the provider takes. `toolset` is set when nothing failed, and to NULL otherwise.
//
// # Safety
// The texts are readable bytes, `toolset` may be written.
struct ToolmeshAnswer toolmesh_toolset_translate(const uint8_t *provider,
                                                 size_t provider_len,
                                                 const uint8_t *descriptors,
                                                 size_t descriptors_len,
                                                 struct ToolmeshToolset **toolset);

// What to send as the request's tools: a JSON array.
//
// # Safety
// The toolset was not freed.
struct ToolmeshAnswer toolmesh_toolset_tools(const struct ToolmeshToolset *toolset);

// What was changed or could not be carried over: a JSON array of `{"tool", "place", "message"}`.
//
// # Safety
// The toolset was not freed.
struct ToolmeshAnswer toolmesh_toolset_warnings(const struct ToolmeshToolset *toolset);

// The calls in a model's whole reply: a JSON array of `{"name", "arguments", "call_id"}`, or `{"name", "call_id", "error"}`.
//
// # Safety
// The toolset was not freed; the reply is readable bytes.
struct ToolmeshAnswer toolmesh_toolset_calls(const struct ToolmeshToolset *toolset,
                                             const uint8_t *reply,
                                             size_t reply_len);

// The results of a turn, a JSON array of `{"name", "call_id", "result", "is_error"}`, as the messages that go back to the
// model: a JSON array.
//
// # Safety
// The toolset was not freed; the replies are readable bytes.
struct ToolmeshAnswer toolmesh_toolset_messages(const struct ToolmeshToolset *toolset,
                                                const uint8_t *replies,
                                                size_t replies_len);

// Frees a toolset.
//
// # Safety
// It was not freed.
void toolmesh_toolset_free(struct ToolmeshToolset *toolset);

// Serves a tool: registered, announced and callable when this returns, or not at all. `descriptor` is JSON with `name` and
// whatever else a descriptor has; with `streaming` the handler may send any events, without it all but its result is
// progress. `served` is set when nothing failed, and to NULL otherwise; `release` is called in both cases.
//
// # Safety
// The node was not freed, the descriptor is readable bytes, the callbacks follow the rules above, `served` may be written.
struct ToolmeshAnswer toolmesh_serve(const struct ToolmeshNode *node,
                                     const uint8_t *descriptor,
                                     size_t descriptor_len,
                                     ToolmeshBegin begin,
                                     ToolmeshRelease release,
                                     uint64_t context,
                                     struct ToolmeshServed **served);

// Withdraws a tool.
//
// # Safety
// It was not freed.
void toolmesh_served_free(struct ToolmeshServed *served);

// The arguments of a call as JSON; they passed the tool's input schema.
//
// # Safety
// The call was not freed.
struct ToolmeshText toolmesh_call_arguments(const struct ToolmeshCall *call);

// The key by which tries of one logical call know each other.
//
// # Safety
// The call was not freed.
struct ToolmeshText toolmesh_call_idempotency_key(const struct ToolmeshCall *call);

// Who asks: `{"identity": text or null, "transport": text, "on_behalf_of": [text]}`.
//
// # Safety
// The call was not freed.
struct ToolmeshAnswer toolmesh_call_caller(const struct ToolmeshCall *call);

// The headers that came with the call: a JSON array of pairs `[name, value]`, names in lower case.
//
// # Safety
// The call was not freed.
struct ToolmeshAnswer toolmesh_call_headers(const struct ToolmeshCall *call);

// How many milliseconds are left, or -1 when there is no deadline.
//
// # Safety
// The call was not freed.
int64_t toolmesh_call_deadline_ms(const struct ToolmeshCall *call);

// Whether the caller has given up, or the deadline has passed.
//
// # Safety
// The call was not freed.
bool toolmesh_call_is_cancelled(const struct ToolmeshCall *call);

// Tells the callback when the caller gives up or the deadline passes. A call has one watch: another takes its place, and the
// first is told as if the call were freed.
//
// # Safety
// The call was not freed; the callback follows the rules above.
void toolmesh_call_on_cancel(const struct ToolmeshCall *call,
                             ToolmeshWatched watched,
                             uint64_t context);

// Sends an event, as JSON: `{"type": "progress" ...}`, `{"type": "delta" ...}`. The callback is told when the reader has kept up,
// or that the call is over. A terminal event (`result`, `error`) ends the call.
//
// # Safety
// The call was not freed, the event is readable bytes, the callback follows the rules above.
void toolmesh_call_event(const struct ToolmeshCall *call,
                         const uint8_t *event,
                         size_t event_len,
                         ToolmeshDone done,
                         uint64_t context);

// Ends the call with a result, as JSON. It is checked against the tool's output schema behind this.
//
// # Safety
// The call was not freed, the result is readable bytes, the callback follows the rules above.
void toolmesh_call_finish(const struct ToolmeshCall *call,
                          const uint8_t *result,
                          size_t result_len,
                          ToolmeshDone done,
                          uint64_t context);

// Ends the call with a failure: `message` reaches the caller as it is, `code` (NULL for the usual one) is the code of the error
// event of a streaming tool.
//
// # Safety
// The call was not freed, the texts are readable bytes, the callback follows the rules above.
void toolmesh_call_fail(const struct ToolmeshCall *call,
                        const uint8_t *code,
                        size_t code_len,
                        const uint8_t *message,
                        size_t message_len,
                        ToolmeshDone done,
                        uint64_t context);

// Lets a call go. One that is not over, and of which no answer is on its way, fails then.
//
// # Safety
// The call was not freed.
void toolmesh_call_free(struct ToolmeshCall *call);

// Serves all tools of the program over MCP at `/mcp`. `address` is `HOST:PORT`, `:PORT` or a port; 0 lets the system choose.
// `name` and `version` are what the server says of itself.
//
// # Safety
// The node was not freed, the texts are readable bytes, the callback follows the rules above.
void toolmesh_serve_mcp_http(const struct ToolmeshNode *node,
                             const uint8_t *address,
                             size_t address_len,
                             const uint8_t *name,
                             size_t name_len,
                             const uint8_t *version,
                             size_t version_len,
                             ToolmeshEndpointOpened opened,
                             uint64_t context);

// Where to point a client.
//
// # Safety
// The endpoint was not freed.
struct ToolmeshText toolmesh_endpoint_url(const struct ToolmeshEndpoint *endpoint);

// Stops a server: calls in flight are finished, within the grace time, and then the callback is told.
//
// # Safety
// The endpoint was not freed; the callback follows the rules above.
void toolmesh_endpoint_stop(const struct ToolmeshEndpoint *endpoint, ToolmeshDone done, uint64_t context);

// Frees an endpoint.
//
// # Safety
// The endpoint was not freed.
void toolmesh_endpoint_free(struct ToolmeshEndpoint *endpoint);

// Serves all tools of the program over MCP on standard input and output; the callback is told when the input has ended, or the
// token is cancelled and calls in flight are finished. Nothing else may write to standard output meanwhile.
//
// # Safety
// The node was not freed, the texts are readable bytes, the callback follows the rules above.
void toolmesh_serve_mcp_stdio(const struct ToolmeshNode *node,
                              const uint8_t *name,
                              size_t name_len,
                              const uint8_t *version,
                              size_t version_len,
                              const struct ToolmeshToken *cancel,
                              ToolmeshDone done,
                              uint64_t context);

// Starts a node. `abi_version` is TOOLMESH_ABI_VERSION; `options` is a JSON object, everything in it optional: `name`, `key`
// (64 hexadecimal digits) or `key_file`, `engine` (`memory` or `zenoh`), `listen`, `connect`, `routers`, `multicast`,
// `plaintext`, `authority`, `certificate` and `private_key` (PEM files, all three or none), `access` (who may see and call what, as
// in the configuration's section for the mesh), `tags`, `allowed`, `config` (a file), `sources` (`token.json`, `calimero:URL`,
// `mcp:COMMAND`, `mesh:`).
//
// # Safety
// The options are readable bytes; the callback follows the rules above.
void toolmesh_node_start(uint32_t abi_version,
                         const uint8_t *options,
                         size_t options_len,
                         const struct ToolmeshToken *cancel,
                         ToolmeshNodeStarted started,
                         uint64_t context);

// The number of the node in its mesh; 0 when it is closed.
//
// # Safety
// The node was not freed.
uint64_t toolmesh_node_id(const struct ToolmeshNode *node);

// Where other nodes can connect to this one: a JSON array of texts, empty in memory and behind a router.
//
// # Safety
// The node was not freed.
struct ToolmeshAnswer toolmesh_node_listens_at(const struct ToolmeshNode *node);

// The tools that the node sees, its own included: a JSON array of descriptors. Nothing is asked of the network. `matcher` is
// NULL, or the JSON of a tag matcher that chooses nodes.
//
// # Safety
// The node was not freed; the matcher is readable bytes.
struct ToolmeshAnswer toolmesh_list(const struct ToolmeshNode *node,
                                    const uint8_t *matcher,
                                    size_t matcher_len);

// The numbers of the nodes that serve the tool which a call would reach: a JSON array.
//
// # Safety
// The node was not freed; the texts are readable bytes.
struct ToolmeshAnswer toolmesh_hosts(const struct ToolmeshNode *node,
                                     const uint8_t *tool,
                                     size_t tool_len,
                                     const uint8_t *options,
                                     size_t options_len);

// Leaves the mesh: what is served is withdrawn, calls in both directions end, and so do sources. Closing twice is no fault.
//
// # Safety
// The node was not freed.
void toolmesh_node_close(const struct ToolmeshNode *node);

// Frees a node, and closes it when nothing is under way.
//
// # Safety
// The node was not freed.
void toolmesh_node_free(struct ToolmeshNode *node);

// Asks for the next event; the answer is its JSON, or TOOLMESH_CODE_END after the last.
//
// # Safety
// The events were not freed; the callback follows the rules above.
void toolmesh_events_next(const struct ToolmeshEvents *events,
                          const struct ToolmeshToken *cancel,
                          ToolmeshDone done,
                          uint64_t context);

// Cancels the call: its handler is told, and an error event `cancelled` is the last that comes, unless the last has come.
//
// # Safety
// The events were not freed.
void toolmesh_events_cancel(const struct ToolmeshEvents *events);

// Frees the events; the call is cancelled when it is not over and nobody waits for an event.
//
// # Safety
// The events were not freed.
void toolmesh_events_free(struct ToolmeshEvents *events);

// Watches the list of tools from now on; `matcher` as `toolmesh_list`. `interval_ms` is the shortest time between two looks;
// 0 leaves it to the library. `changes` is set when nothing failed, and to NULL otherwise.
//
// # Safety
// The node was not freed, the matcher is readable bytes, `changes` may be written.
struct ToolmeshAnswer toolmesh_watch(const struct ToolmeshNode *node,
                                     const uint8_t *matcher,
                                     size_t matcher_len,
                                     uint64_t interval_ms,
                                     struct ToolmeshChanges **changes);

// Asks for the next change: its JSON, tagged by `type`, or TOOLMESH_CODE_END after the last, when the node has left.
//
// # Safety
// The changes were not freed; the callback follows the rules above.
void toolmesh_changes_next(const struct ToolmeshChanges *changes,
                           const struct ToolmeshToken *cancel,
                           ToolmeshDone done,
                           uint64_t context);

// Ends the watch; who waits for a change is told that nothing follows.
//
// # Safety
// The changes were not freed.
void toolmesh_changes_free(struct ToolmeshChanges *changes);

// A token.
struct ToolmeshToken *toolmesh_token_new(void);

// Cancels what was begun with the token: calls are cancelled at their handlers, and every callback is told soon.
//
// # Safety
// The token was not freed.
void toolmesh_token_cancel(const struct ToolmeshToken *token);

// Frees a token; it cancels nothing.
//
// # Safety
// The token was not freed.
void toolmesh_token_free(struct ToolmeshToken *token);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TOOLMESH_H */
