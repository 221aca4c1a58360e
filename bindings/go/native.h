// What Go shares with the library: its header, and the callbacks of Go that it is given. They are in native.go.
#ifndef TOOLMESH_GO_NATIVE_H
#define TOOLMESH_GO_NATIVE_H

#include "toolmesh.h"

extern void toolmeshGoDone(uint64_t context, ToolmeshAnswer answer);
extern void toolmeshGoNodeStarted(uint64_t context, ToolmeshNode *node, ToolmeshAnswer answer);
extern void toolmeshGoEventsOpened(uint64_t context, ToolmeshEvents *events, ToolmeshAnswer answer);
extern void toolmeshGoEndpointOpened(uint64_t context, ToolmeshEndpoint *endpoint, ToolmeshAnswer answer);
extern void toolmeshGoBegin(uint64_t context, ToolmeshCall *call);
extern void toolmeshGoRelease(uint64_t context);
extern void toolmeshGoWatched(uint64_t context, _Bool cancelled);

#endif
