// A program in C over the header alone: it is refused with another version, starts a node, serves a tool, calls it, reads a
// stream, cancels a call. It prints what it found, one line a statement, and ends with 1 when one does not hold.

#include "toolmesh.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(literal) (const uint8_t *)(literal), strlen(literal)

// What a callback hands to whoever waits: a mailbox for one thing.
typedef struct Mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool full;
    void *object;
    ToolmeshAnswer answer;
} Mailbox;

#define EMPTY {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER}

static void put(uint64_t context, void *object, ToolmeshAnswer answer) {
    Mailbox *box = (Mailbox *)(uintptr_t)context;
    pthread_mutex_lock(&box->mutex);
    box->object = object;
    box->answer = answer;
    box->full = true;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->mutex);
}

static void take(Mailbox *box) {
    pthread_mutex_lock(&box->mutex);
    while (!box->full) {
        pthread_cond_wait(&box->changed, &box->mutex);
    }
    box->full = false;
    pthread_mutex_unlock(&box->mutex);
}

static void done(uint64_t context, ToolmeshAnswer answer) { put(context, NULL, answer); }
static void started(uint64_t context, ToolmeshNode *node, ToolmeshAnswer answer) { put(context, node, answer); }
static void opened(uint64_t context, ToolmeshEvents *events, ToolmeshAnswer answer) { put(context, events, answer); }

// A tool that answers with its arguments.
static void echo(uint64_t context, ToolmeshCall *call) {
    (void)context;
    ToolmeshText arguments = toolmesh_call_arguments(call);
    toolmesh_call_finish(call, arguments.data, arguments.len, NULL, 0);
    toolmesh_call_free(call);
}

// A tool that answers when its call is cancelled: the watch is told, and lets the call go.
static Mailbox cancelled_call = EMPTY;

static void watched(uint64_t context, bool cancelled) {
    ToolmeshAnswer answer = {.code = cancelled};
    put(context, NULL, answer);
}

static void waits(uint64_t context, ToolmeshCall *call) {
    toolmesh_call_on_cancel(call, watched, (uint64_t)(uintptr_t)&cancelled_call);
    put(context, call, (ToolmeshAnswer){.code = TOOLMESH_CODE_OK});
}

static int released = 0;
static void release(uint64_t context) {
    (void)context;
    released++;
}

static int failures = 0;

static void holds(bool condition, const char *statement) {
    printf("%s: %s\n", condition ? "ok" : "FAILED", statement);
    failures += !condition;
}

static bool says(ToolmeshAnswer answer, int32_t code, const char *text) {
    bool equal = answer.code == code && answer.len == strlen(text) && memcmp(answer.data, text, answer.len) == 0;
    if (!equal) {
        printf("have %d: %.*s\n", answer.code, (int)answer.len, (const char *)answer.data);
    }
    toolmesh_answer_free(answer);
    return equal;
}

int main(void) {
    Mailbox box = EMPTY;
    uint64_t context = (uint64_t)(uintptr_t)&box;
    holds(toolmesh_abi_version() == TOOLMESH_ABI_VERSION, "header and library have one version");

    toolmesh_node_start(TOOLMESH_ABI_VERSION + 1, TEXT("{}"), NULL, started, context);
    take(&box);
    holds(box.object == NULL && box.answer.code == TOOLMESH_CODE_INVALID, "another version is refused");
    toolmesh_answer_free(box.answer);

    toolmesh_node_start(TOOLMESH_ABI_VERSION, TEXT("{\"name\":\"c\"}"), NULL, started, context);
    take(&box);
    ToolmeshNode *node = box.object;
    holds(node != NULL && box.answer.code == TOOLMESH_CODE_OK, "a node starts");

    ToolmeshServed *served = NULL;
    ToolmeshAnswer answer = toolmesh_serve(node, TEXT("{\"name\":\"echo\"}"), echo, release, 0, &served);
    holds(served != NULL && says(answer, TOOLMESH_CODE_OK, ""), "a tool is served");
    ToolmeshServed *twice = NULL;
    answer = toolmesh_serve(node, TEXT("{\"name\":\"echo\"}"), echo, release, 0, &twice);
    holds(twice == NULL && answer.code == TOOLMESH_CODE_ALREADY_SERVING && released == 1, "the same tool twice is refused");
    toolmesh_answer_free(answer);

    const char *arguments = "{\"n\":1606938044258990275541962092341162602522202993782792835301376}";
    toolmesh_call(node, TEXT("echo"), TEXT(arguments), TEXT("{}"), NULL, done, context);
    take(&box);
    holds(says(box.answer, TOOLMESH_CODE_OK, arguments), "a call is answered to the digit");

    toolmesh_call(NULL, TEXT("echo"), TEXT("{}"), TEXT("{}"), NULL, done, context);
    take(&box);
    holds(box.answer.code == TOOLMESH_CODE_INVALID, "NULL in the place of a node is refused");
    toolmesh_answer_free(box.answer);

    toolmesh_call_streaming(node, TEXT("echo"), TEXT("{}"), TEXT("{}"), NULL, opened, context);
    take(&box);
    ToolmeshEvents *events = box.object;
    int32_t code = TOOLMESH_CODE_OK;
    int count = 0;
    while (code == TOOLMESH_CODE_OK) {
        toolmesh_events_next(events, NULL, done, context);
        take(&box);
        code = box.answer.code;
        count += code == TOOLMESH_CODE_OK;
        toolmesh_answer_free(box.answer);
    }
    holds(code == TOOLMESH_CODE_END && count == 2, "a stream has a start and a result, and ends");
    toolmesh_events_free(events);

    Mailbox waiting = EMPTY;
    ToolmeshServed *slow = NULL;
    answer = toolmesh_serve(node, TEXT("{\"name\":\"waits\"}"), waits, release, (uint64_t)(uintptr_t)&waiting, &slow);
    holds(says(answer, TOOLMESH_CODE_OK, ""), "a second tool is served");
    ToolmeshToken *token = toolmesh_token_new();
    toolmesh_call(node, TEXT("waits"), TEXT("{}"), TEXT("{}"), token, done, context);
    take(&waiting);
    toolmesh_token_cancel(token);
    toolmesh_token_free(token);
    take(&box);
    holds(box.answer.code == TOOLMESH_CODE_CANCELLED, "a token cancels a call");
    toolmesh_answer_free(box.answer);
    take(&cancelled_call);
    holds(cancelled_call.answer.code == true, "its handler is told");
    toolmesh_call_free(waiting.object);

    ToolmeshText word = toolmesh_code_word(TOOLMESH_CODE_NO_ROUTE);
    holds(word.len == 8 && memcmp(word.data, "no_route", 8) == 0, "a code has a word");

    toolmesh_served_free(served);
    toolmesh_served_free(slow);
    toolmesh_node_close(node);
    toolmesh_call(node, TEXT("echo"), TEXT("{}"), TEXT("{}"), NULL, done, context);
    take(&box);
    holds(box.answer.code == TOOLMESH_CODE_CLOSED, "a closed node says so");
    toolmesh_answer_free(box.answer);
    toolmesh_node_free(node);
    return failures > 0;
}
