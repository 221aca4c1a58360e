//! What is put into every application before it is compiled: a count of its operations, and bounds of its memory.
//!
//! The runtime of this version counts nothing and lets memory grow to 4 GiB, so an endless loop or a greedy
//! application would take the process with it. Operations are charged where control flow splits, before what they pay
//! for runs. Whoever cannot pay is stopped by an atomic access at an odd address: its trap is one that nothing else
//! raises, because modules that use atomics themselves are refused.

use std::sync::OnceLock;

use wasmer::sys::{
    FunctionMiddleware, MiddlewareError, MiddlewareReaderState, ModuleMiddleware,
    wasmparser::{BlockType, MemArg, Operator},
};
use wasmer::{ExportIndex, GlobalInit, GlobalType, LocalFunctionIndex, Mutability, Pages, Type};
use wasmer_types::{FunctionIndex, ImportIndex, ModuleInfo};

use crate::limits::Limits;

/// What a call of a function of the runtime is charged, in operations: it moves bytes in and out.
const HOST_CALL: u64 = 500;

/// Each operation is charged for 2^4 bytes that it fills or copies, or entries of a table.
const BULK_SHIFT: i64 = 4;

/// The function of the runtime that reserves as many bytes as it is told, before it looks at the number.
const PRINT: &str = "js_std_d_print";

/// The most bytes that it may be told: what the runtime allows of one line of the log.
const MAX_PRINT_BYTES: i64 = 16 << 10;

/// The memory that the runtime reads and writes.
const MEMORY: &str = "memory";

/// What the compiler calls this when it tells what was refused.
const NAME: &str = "bounds";

/// Counts operations and bounds memory.
#[derive(Debug)]
pub(super) struct Meter {
    limits: Limits,
    layout: OnceLock<Layout>,
}

/// Where things are in the module.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// The global of the operations that are left.
    left: u32,
    /// The global in which the size of a bulk operation waits.
    size: u32,
    /// How many functions are the runtime's; they come first.
    imported: u32,
    /// The runtime's function that is guarded, if the module has it.
    print: Option<Print>,
}

/// The function that is guarded.
#[derive(Clone, Copy, Debug)]
struct Print {
    function: u32,
    /// The global in which its number waits.
    length: u32,
}

impl Meter {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            layout: OnceLock::new(),
        }
    }

    fn bound_memories(&self, info: &mut ModuleInfo) -> Result<(), MiddlewareError> {
        let max = Pages(self.limits.memory_pages);
        for memory in info.memories.values_mut() {
            if memory.minimum > max {
                return Err(refused(format!(
                    "it wants {} pages of memory from the start; at most {} are allowed",
                    memory.minimum.0, max.0
                )));
            }
            memory.maximum = Some(memory.maximum.map_or(max, |own| own.min(max)));
        }
        Ok(())
    }

    /// The tables share the entries: there may be a hundred of them, each made anew for every call.
    fn bound_tables(&self, info: &mut ModuleInfo) -> Result<(), MiddlewareError> {
        let max = self.limits.table_entries;
        let minimums = info.tables.values().map(|table| table.minimum);
        let wanted = minimums.fold(0, u32::saturating_add);
        let Some(free) = max.checked_sub(wanted) else {
            return Err(refused(format!(
                "it wants {wanted} entries in its tables; at most {max} are allowed"
            )));
        };
        let share = u32::try_from(info.tables.len())
            .ok()
            .and_then(|count| free.checked_div(count))
            .unwrap_or_default();
        for table in info.tables.values_mut() {
            let most = table.minimum.saturating_add(share);
            table.maximum = Some(table.maximum.map_or(most, |own| own.min(most)));
        }
        Ok(())
    }

    fn layout(&self, info: &mut ModuleInfo) -> Result<Layout, MiddlewareError> {
        let operations = i64::try_from(self.limits.operations).unwrap_or(i64::MAX);
        let print = print_function(info)?.map(|function| Print {
            function,
            length: add_global(info, Type::I64, GlobalInit::I64Const(0)),
        });
        Ok(Layout {
            print,
            left: add_global(info, Type::I64, GlobalInit::I64Const(operations)),
            size: add_global(info, Type::I32, GlobalInit::I32Const(0)),
            imported: u32::try_from(info.num_imported_functions).unwrap_or(u32::MAX),
        })
    }
}

/// What the compiler says of a refusal, without who refused.
pub(super) fn reason_of(refusal: &str) -> &str {
    let reason = refusal
        .strip_prefix("Error in middleware ")
        .and_then(|rest| rest.strip_prefix(NAME)?.strip_prefix(": "));
    reason.unwrap_or(refusal)
}

fn refused(reason: impl Into<String>) -> MiddlewareError {
    MiddlewareError::new(NAME, reason)
}

fn add_global(info: &mut ModuleInfo, ty: Type, init: GlobalInit) -> u32 {
    info.global_initializers.push(init);
    info.globals.push(GlobalType::new(ty, Mutability::Var)).as_u32()
}

/// The function that is guarded. It may only be called by its name: behind a pointer its argument could not be seen.
fn print_function(info: &ModuleInfo) -> Result<Option<u32>, MiddlewareError> {
    let found = info.imports.iter().find_map(|(key, index)| match index {
        ImportIndex::Function(function) if key.field == PRINT => Some(*function),
        _ => None,
    });
    let Some(function) = found else {
        return Ok(None);
    };
    let takes_numbers = info
        .functions
        .get(function)
        .and_then(|signature| info.signatures.get(*signature))
        .is_some_and(|signature| signature.params() == [Type::I64; 3]);
    if !takes_numbers {
        return Err(refused(format!("it takes {PRINT} for something else")));
    }
    if is_pointed_at(info, function) {
        return Err(refused(format!("it points at {PRINT}")));
    }
    Ok(Some(function.as_u32()))
}

fn is_pointed_at(info: &ModuleInfo, function: FunctionIndex) -> bool {
    let tables = info.table_initializers.iter();
    let segments = tables
        .map(|table| &table.elements)
        .chain(info.passive_elements.values());
    segments.into_iter().any(|elements| elements.contains(&function))
        || info
            .global_initializers
            .values()
            .any(|init| *init == GlobalInit::RefFunc(function))
}

impl ModuleMiddleware for Meter {
    fn generate_function_middleware(&self, _: LocalFunctionIndex) -> Box<dyn FunctionMiddleware> {
        Box::new(Counter {
            layout: self.layout.get().copied(),
            owed: 0,
        })
    }

    fn transform_module_info(&self, info: &mut ModuleInfo) -> Result<(), MiddlewareError> {
        if !matches!(info.exports.get(MEMORY), Some(ExportIndex::Memory(_))) {
            return Err(refused(format!("it exports no memory of the name `{MEMORY}`")));
        }
        // The runtime looks for a function of a method's name, and panics when it finds something else.
        info.exports
            .retain(|name, export| name == MEMORY || matches!(export, ExportIndex::Function(_)));
        self.bound_memories(info)?;
        self.bound_tables(info)?;
        let layout = self.layout(info)?;
        // Each compilation has a meter of its own.
        self.layout
            .set(layout)
            .map_err(|_| refused("it was compiled before"))
    }
}

/// Counts the operations of one function.
#[derive(Debug)]
struct Counter {
    layout: Option<Layout>,
    /// Operations since the last charge.
    owed: u64,
}

impl FunctionMiddleware for Counter {
    fn feed<'a>(
        &mut self,
        operator: Operator<'a>,
        state: &mut MiddlewareReaderState<'a>,
    ) -> Result<(), MiddlewareError> {
        let layout = self
            .layout
            .ok_or_else(|| refused("its functions came before its head"))?;
        let prints = |function: u32| layout.print.filter(|print| print.function == function);
        if let Operator::RefFunc { function_index } = &operator
            && prints(*function_index).is_some()
        {
            return Err(refused(format!("it points at {PRINT}")));
        }
        self.owed = self.owed.saturating_add(layout.cost(&operator));
        if splits(&operator) || is_bulk(&operator) {
            state.extend(&layout.charge(self.owed));
            self.owed = 0;
        }
        if is_bulk(&operator) {
            state.extend(&layout.charge_size());
        }
        if let Operator::Call { function_index } = &operator
            && let Some(print) = prints(*function_index)
        {
            state.extend(&print.guard());
        }
        state.push_operator(operator);
        Ok(())
    }
}

/// Whether what stands behind the operation need not run as often as what stands before it.
fn splits(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::Loop { .. }
            | Operator::If { .. }
            | Operator::Else
            | Operator::End
            | Operator::Br { .. }
            | Operator::BrIf { .. }
            | Operator::BrTable { .. }
            | Operator::Return
            | Operator::Call { .. }
            | Operator::CallIndirect { .. }
    )
}

/// Whether the operation works on as many bytes or entries as the number on top of the stack says.
fn is_bulk(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::MemoryFill { .. }
            | Operator::MemoryCopy { .. }
            | Operator::MemoryInit { .. }
            | Operator::TableFill { .. }
            | Operator::TableCopy { .. }
            | Operator::TableInit { .. }
            | Operator::TableGrow { .. }
    )
}

impl Layout {
    fn cost(&self, operator: &Operator<'_>) -> u64 {
        match operator {
            Operator::Call { function_index } if *function_index < self.imported => HOST_CALL,
            _ => 1,
        }
    }

    /// Takes this many operations, or stops.
    fn charge(&self, count: u64) -> Vec<Operator<'static>> {
        let count = vec![Operator::I64Const {
            value: i64::try_from(count).unwrap_or(i64::MAX),
        }];
        self.take(&count)
    }

    /// Takes as many operations as the bulk operation that follows is worth, or stops.
    fn charge_size(&self) -> Vec<Operator<'static>> {
        let size = Operator::GlobalGet {
            global_index: self.size,
        };
        let count = [
            size.clone(),
            Operator::I64ExtendI32U,
            Operator::I64Const { value: BULK_SHIFT },
            Operator::I64ShrU,
        ];
        let mut operators = vec![Operator::GlobalSet {
            global_index: self.size,
        }];
        operators.extend(self.take(&count));
        operators.push(size);
        operators
    }

    /// Takes the operations that `count` puts on the stack, or stops.
    fn take(&self, count: &[Operator<'static>]) -> Vec<Operator<'static>> {
        let global_index = self.left;
        let left = || Operator::GlobalGet { global_index };
        let mut operators = vec![left()];
        operators.extend_from_slice(count);
        operators.push(Operator::I64LtU);
        operators.push(Operator::If {
            blockty: BlockType::Empty,
        });
        operators.extend(stop());
        operators.push(Operator::End);
        operators.push(left());
        operators.extend_from_slice(count);
        operators.push(Operator::I64Sub);
        operators.push(Operator::GlobalSet { global_index });
        operators
    }
}

impl Print {
    /// Goes on only if the number on top of the stack is not too large to print.
    fn guard(&self) -> [Operator<'static>; 8] {
        let global_index = self.length;
        [
            Operator::GlobalSet { global_index },
            Operator::GlobalGet { global_index },
            Operator::I64Const {
                value: MAX_PRINT_BYTES,
            },
            Operator::I64GtU,
            Operator::If {
                blockty: BlockType::Empty,
            },
            Operator::Unreachable,
            Operator::End,
            Operator::GlobalGet { global_index },
        ]
    }
}

/// The trap of whoever cannot pay.
fn stop() -> [Operator<'static>; 3] {
    let memarg = MemArg {
        align: 2,
        max_align: 2,
        offset: 0,
        memory: 0,
    };
    [
        Operator::I32Const { value: 1 },
        Operator::I32AtomicLoad { memarg },
        Operator::Drop,
    ]
}
