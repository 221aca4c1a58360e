//! Functions of programs that may end at any time.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock},
};

use napi::{
    Env, Status, ValueType,
    bindgen_prelude::{FromNapiValue, JsValuesTupleIntoVec, TypeName, ValidateNapiValue},
    sys,
    threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode},
};

/// The programs (the main one, and each worker) that have given functions, by their environments' addresses.
static PROGRAMS: LazyLock<Mutex<HashMap<usize, Arc<Program>>>> = LazyLock::new(Mutex::default);

/// A program, and whether it has ended.
#[derive(Default)]
struct Program {
    has_ended: RwLock<bool>,
}

/// A function of a program that other threads hold. Node frees such functions when a program ends, and whoever gives one back at that
/// moment uses it after that (napi-rs guards against it, but not while the last holder lets go). So functions are given back only
/// while their program has not ended, which it does not do meanwhile; later Node has them already.
pub struct Held<F> {
    /// There until this is dropped.
    function: Option<F>,
    program: Arc<Program>,
}

impl Program {
    /// That of an environment. It ends before Node frees what is held of it.
    fn of(env: sys::napi_env) -> napi::Result<Arc<Self>> {
        let address = env.addr();
        let mut programs = programs();
        if let Some(program) = programs.get(&address) {
            return Ok(Arc::clone(program));
        }
        let program = Arc::new(Self::default());
        Env::from_raw(env).add_env_cleanup_hook(Arc::clone(&program), move |program| {
            self::programs().remove(&address);
            *program.has_ended.write().unwrap_or_else(PoisonError::into_inner) = true;
        })?;
        programs.insert(address, Arc::clone(&program));
        Ok(program)
    }
}

fn programs() -> MutexGuard<'static, HashMap<usize, Arc<Program>>> {
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<F> Drop for Held<F> {
    fn drop(&mut self) {
        let has_ended = self
            .program
            .has_ended
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if *has_ended {
            std::mem::forget(self.function.take());
        } else {
            drop(self.function.take());
        }
    }
}

impl<T, Args, const LETS_END: bool> Held<ThreadsafeFunction<T, (), Args, Status, false, LETS_END>>
where
    T: 'static,
    Args: 'static + JsValuesTupleIntoVec,
{
    /// Has the program call it; when it has ended nobody is told.
    pub(crate) fn call(&self, value: T) {
        if let Some(function) = &self.function {
            function.call(value, ThreadsafeFunctionCallMode::NonBlocking);
        }
    }
}

impl<F: FromNapiValue> FromNapiValue for Held<F> {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        let program = Program::of(env)?;
        // SAFETY: what the caller promises of both is what this asks for.
        let function = unsafe { F::from_napi_value(env, value) }?;
        Ok(Self {
            function: Some(function),
            program,
        })
    }
}

impl<F: TypeName> TypeName for Held<F> {
    fn type_name() -> &'static str {
        F::type_name()
    }

    fn value_type() -> ValueType {
        F::value_type()
    }
}

impl<F: ValidateNapiValue> ValidateNapiValue for Held<F> {}
