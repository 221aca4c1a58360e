;; A small application: it keeps what it is given, and does whatever an application must not do.
;;
;; Arguments come as the JSON object that the caller made; they are kept and given back as they are. All pointers and
;; sizes of the runtime have 64 bits: a buffer is { pointer, size }, a returned value { 0 or 1, buffer }.
(module
  (import "env" "input" (func $input (param i64)))
  (import "env" "register_len" (func $register_len (param i64) (result i64)))
  (import "env" "read_register" (func $read_register (param i64 i64) (result i32)))
  (import "env" "value_return" (func $value_return (param i64)))
  (import "env" "storage_write" (func $storage_write (param i64 i64 i64) (result i32)))
  (import "env" "storage_read" (func $storage_read (param i64 i64) (result i32)))
  (import "env" "private_storage_write" (func $private_write (param i64 i64) (result i32)))
  (import "env" "private_storage_read" (func $private_read (param i64 i64) (result i32)))
  (import "env" "commit" (func $commit (param i64 i64)))
  (import "env" "emit" (func $emit (param i64)))
  (import "env" "log_utf8" (func $log (param i64)))
  (import "env" "panic_utf8" (func $panic (param i64 i64)))
  (import "env" "xcall" (func $xcall (param i64)))
  (import "env" "executor_id" (func $executor_id (param i64)))
  (import "env" "js_std_d_print" (func $print (param i64 i64 i64) (result i32)))

  ;; 11 MiB and a bit: one page holds the words, the rest what is read.
  (memory (export "memory") 180)

  (data (i32.const 1024) "note")
  (data (i32.const 1040) "secret")
  (data (i32.const 1056) "\"no such note\"")
  (data (i32.const 1072) "Kept")
  (data (i32.const 1088) "something was kept")
  (data (i32.const 1120) "the note is broken")
  (data (i32.const 1152) "notes.rs")
  (data (i32.const 1168) "null")
  (data (i32.const 1184) "\"refused\"")
  (data (i32.const 1200) "\"granted\"")
  (data (i32.const 1216) "{\"note\":")
  (data (i32.const 1232) "{\"kind\":\"Full\",\"data\":3}")
  (data (i32.const 1264) "told")

  (global $arguments i32 (i32.const 65536))

  ;; Writes a buffer at $at.
  (func $buffer (param $at i32) (param $pointer i32) (param $size i64)
    (i64.store (local.get $at) (i64.extend_i32_u (local.get $pointer)))
    (i64.store offset=8 (local.get $at) (local.get $size)))

  ;; Reads register 0 to the arguments' place and tells its size.
  (func $take (result i64)
    (local $size i64)
    (local.set $size (call $register_len (i64.const 0)))
    (call $buffer (i32.const 0) (global.get $arguments) (local.get $size))
    (drop (call $read_register (i64.const 0) (i64.const 0)))
    (local.get $size))

  (func $read_input (result i64)
    (call $input (i64.const 0))
    (call $take))

  (func $return (param $error i64) (param $pointer i32) (param $size i64)
    (i64.store (i32.const 32) (local.get $error))
    (call $buffer (i32.const 40) (local.get $pointer) (local.get $size))
    (call $value_return (i64.const 32)))

  (func $done
    (call $buffer (i32.const 64) (i32.const 2048) (i64.const 32))
    (call $buffer (i32.const 80) (i32.const 2048) (i64.const 1))
    (call $commit (i64.const 64) (i64.const 80)))

  (func $write (param $key i32) (param $key_size i64) (param $size i64)
    (call $buffer (i32.const 96) (local.get $key) (local.get $key_size))
    (call $buffer (i32.const 112) (global.get $arguments) (local.get $size))
    (drop (call $storage_write (i64.const 96) (i64.const 112) (i64.const 1))))

  (func (export "init")
    (call $write (i32.const 1024) (i64.const 4) (call $read_input))
    (call $done))

  ;; Keeps its arguments, tells so, and gives nothing back.
  (func (export "keep")
    (local $size i64)
    (local.set $size (call $read_input))
    (call $write (i32.const 1024) (i64.const 4) (local.get $size))
    (call $buffer (i32.const 128) (i32.const 1072) (i64.const 4))
    (call $buffer (i32.const 144) (global.get $arguments) (local.get $size))
    (call $emit (i64.const 128))
    (call $buffer (i32.const 160) (i32.const 1088) (i64.const 18))
    (call $log (i64.const 160))
    (call $done))

  ;; Gives back what was kept last, or says that there is nothing.
  (func (export "note")
    (call $buffer (i32.const 96) (i32.const 1024) (i64.const 4))
    (if (i32.eqz (call $storage_read (i64.const 96) (i64.const 0)))
      (then (call $return (i64.const 1) (i32.const 1056) (i64.const 14)))
      (else (call $return (i64.const 0) (global.get $arguments) (call $take)))))

  ;; Keeps its arguments where only this node sees them.
  (func (export "whisper")
    (call $buffer (i32.const 96) (i32.const 1040) (i64.const 6))
    (call $buffer (i32.const 112) (global.get $arguments) (call $read_input))
    (drop (call $private_write (i64.const 96) (i64.const 112)))
    (call $done))

  (func (export "secret")
    (call $buffer (i32.const 96) (i32.const 1040) (i64.const 6))
    (if (call $private_read (i64.const 96) (i64.const 0))
      (then (call $return (i64.const 0) (global.get $arguments) (call $take)))))

  ;; Writes, and forgets to commit.
  (func (export "forget")
    (call $write (i32.const 1024) (i64.const 4) (call $read_input)))

  ;; Writes and commits, and says in its manifest that it only reads.
  (func (export "pretend")
    (call $write (i32.const 1024) (i64.const 4) (call $read_input))
    (call $done)
    (call $return (i64.const 0) (i32.const 1168) (i64.const 4)))

  ;; Writes, commits, emits and logs, and then says no, in a word and in an object.
  (func (export "refuse")
    (call $write (i32.const 1024) (i64.const 4) (call $read_input))
    (call $done)
    (call $buffer (i32.const 128) (i32.const 1072) (i64.const 4))
    (call $buffer (i32.const 144) (i32.const 1168) (i64.const 4))
    (call $emit (i64.const 128))
    (call $return (i64.const 1) (i32.const 1056) (i64.const 14)))

  (func (export "refuse_in_full")
    (call $return (i64.const 1) (i32.const 1232) (i64.const 24)))

  (func (export "panic")
    (call $buffer (i32.const 96) (i32.const 1120) (i64.const 18))
    (call $buffer (i32.const 112) (i32.const 1152) (i64.const 8))
    (i32.store (i32.const 128) (i32.const 7))
    (i32.store (i32.const 132) (i32.const 9))
    (call $panic (i64.const 96) (i64.const 112)))

  (func (export "trap") unreachable)

  (func $deeper (export "overflow") (call $deeper))

  (func (export "outside") (drop (i32.load (i32.const -8))))

  (func (export "spin") (loop $again (br $again)))

  ;; Spends its time in one operation after another that fills all memory.
  (func (export "fill")
    (loop $again
      (memory.fill (i32.const 131072) (i32.const 7) (i32.const 8388608))
      (br $again)))

  ;; Asks for memory until there is no more, and tells how that went.
  (func (export "bloat")
    (loop $again
      (br_if $again (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
    (if (i32.gt_u (memory.size) (i32.const 1024))
      (then (call $return (i64.const 0) (i32.const 1200) (i64.const 9)))
      (else (call $return (i64.const 0) (i32.const 1184) (i64.const 9)))))

  ;; Stores a megabyte under one key after another.
  (func (export "hoard")
    (local $key i32)
    (loop $again
      (local.set $key (i32.add (local.get $key) (i32.const 1)))
      (i32.store (i32.const 2048) (local.get $key))
      (call $write (i32.const 2048) (i64.const 4) (i64.const 1048576))
      (br $again)))

  ;; Returns 10 MiB of spaces, or a byte more, and a digit: JSON in both cases.
  (func $spaces (param $size i32)
    (memory.fill (global.get $arguments) (i32.const 32) (local.get $size))
    (i32.store8
      (i32.sub (i32.add (global.get $arguments) (local.get $size)) (i32.const 1))
      (i32.const 49))
    (call $return (i64.const 0) (global.get $arguments) (i64.extend_i32_u (local.get $size))))
  (func (export "large") (call $spaces (i32.const 10485760)))
  (func (export "too_large") (call $spaces (i32.const 10485761)))

  ;; Returns what is no JSON.
  (func (export "garble") (call $return (i64.const 0) (i32.const 1216) (i64.const 8)))

  ;; Prints more than there is memory.
  (func (export "shout")
    (drop (call $print (i64.const 0) (i64.const 0) (i64.const 1099511627776))))

  (func (export "whistle")
    (drop (call $print (i64.const 0) (i64.const 1088) (i64.const 18))))

  ;; Asks for a call in another context.
  (func (export "call_out")
    (call $buffer (i32.const 128) (i32.const 2048) (i64.const 32))
    (call $buffer (i32.const 144) (i32.const 1264) (i64.const 4))
    (call $buffer (i32.const 160) (i32.const 1168) (i64.const 4))
    (call $xcall (i64.const 128))
    (call $done))

  ;; Whether two calls come from one: the first byte of who calls, as a digit that is 1 or more.
  (func (export "caller")
    (call $executor_id (i64.const 0))
    (drop (call $take))
    (i32.store8 (i32.const 2080)
      (i32.add (i32.const 49) (i32.rem_u (i32.load8_u (global.get $arguments)) (i32.const 9))))
    (call $return (i64.const 0) (i32.const 2080) (i64.const 1)))

  ;; Takes parameters, which no method of an application does.
  (func (export "odd") (param i32))
)
