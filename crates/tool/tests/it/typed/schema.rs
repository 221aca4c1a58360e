//! From a type to its schema, to the letter.

use std::collections::{BTreeMap, HashMap};

use toolmesh_tool::{
    BigInt, IndexMap, Tool, ToolBuildError, ToolResult, ToolType,
    json::{Number, Value, View},
    schema::{Profile, Schema},
    typed::{
        BindRefusal, Binding, Derivation, MAX_PROPERTY_NAME_UNITS, Property, Publication, PublishRefusal,
        TypeFault, TypeRefusal, derive,
    },
};

use super::{
    family::{Everything, Grid, Item, Never, Node, Nothing, Order, Page, Pair, Person},
    schema_of,
};

const F64_MAX: &str = "179769313486231570814527423731704356798070567525844996598917476803157260780028538760589558632766878171540458953514382464234321326889464182768467546703537516986049910576551282076245490090389328944075868508455133942304583236903222948165808559332123348274797826204144723168738177180919299881250404026184124858368";
const F32_MAX: &str = "340282346638528859811704183484516925440";

#[test]
fn every_scalar_has_the_schema_of_the_table() {
    let integer = |low: i128, high: i128| format!(r#"{{"type":"integer","minimum":{low},"maximum":{high}}}"#);
    let number = |max: &str| format!(r#"{{"type":"number","minimum":-{max},"maximum":{max}}}"#);
    assert_eq!(schema_of::<bool>(), r#"{"type":"boolean"}"#);
    assert_eq!(schema_of::<i8>(), integer(-128, 127));
    assert_eq!(schema_of::<i16>(), integer(-32_768, 32_767));
    assert_eq!(schema_of::<i32>(), integer(-2_147_483_648, 2_147_483_647));
    assert_eq!(
        schema_of::<i64>(),
        integer(-9_223_372_036_854_775_808, 9_223_372_036_854_775_807)
    );
    assert_eq!(schema_of::<u8>(), integer(0, 255));
    assert_eq!(schema_of::<u16>(), integer(0, 65_535));
    assert_eq!(schema_of::<u32>(), integer(0, 4_294_967_295));
    assert_eq!(schema_of::<u64>(), integer(0, 18_446_744_073_709_551_615));
    assert_eq!(schema_of::<BigInt>(), r#"{"type":"integer"}"#);
    assert_eq!(schema_of::<f32>(), number(F32_MAX));
    assert_eq!(schema_of::<f64>(), number(F64_MAX));
    assert_eq!(schema_of::<Number>(), r#"{"type":"number"}"#);
    assert_eq!(schema_of::<String>(), r#"{"type":"string"}"#);
}

#[test]
fn an_enum_is_a_text_of_its_names_in_declaration_order() {
    assert_eq!(
        schema_of::<Order>(),
        r#"{"type":"string","enum":["Ascending","Descending","as they come"]}"#
    );
    assert_eq!(schema_of::<Never>(), r#"{"type":"string","enum":[]}"#);
}

#[test]
fn lists_and_maps_say_what_they_hold() {
    let list = r#"{"type":"array","items":{"type":"string"}}"#;
    assert_eq!(schema_of::<Vec<String>>(), list);
    assert_eq!(schema_of::<[String; 3]>(), list);
    let map = r#"{"type":"object","additionalProperties":{"type":"boolean"}}"#;
    assert_eq!(schema_of::<BTreeMap<String, bool>>(), map);
    assert_eq!(schema_of::<HashMap<String, bool>>(), map);
    assert_eq!(schema_of::<IndexMap<String, bool>>(), map);
}

#[test]
fn bytes_are_a_list_of_small_integers() {
    assert_eq!(
        schema_of::<Vec<i8>>(),
        r#"{"type":"array","items":{"type":"integer","minimum":-128,"maximum":127}}"#
    );
}

#[test]
fn a_struct_is_closed_and_says_what_is_required_even_when_nothing_is() {
    assert_eq!(
        schema_of::<Item>(),
        r#"{"type":"object","properties":{"sku":{"type":"string","description":"The stock keeping unit."},"type":{"type":"string","enum":["Ascending","Descending","as they come"],"title":"Kind","description":"What sort of item it is."}},"required":["sku"],"additionalProperties":false}"#
    );
    assert_eq!(
        schema_of::<Nothing>(),
        r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#
    );
}

#[test]
fn a_property_appends_title_description_and_header_in_this_order() {
    #[derive(ToolType)]
    struct Mirrored {
        /// Whose data.
        #[property(header = "Tenant", title = "T")]
        tenant: Option<i64>,
    }
    assert_eq!(
        schema_of::<Mirrored>(),
        r#"{"type":"object","properties":{"tenant":{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807,"title":"T","description":"Whose data.","x-mcp-header":"Tenant"}},"required":[],"additionalProperties":false}"#
    );
}

#[test]
fn a_given_description_stands_instead_of_the_doc_comment() {
    #[derive(ToolType)]
    struct S {
        /// For the reader of the source.
        #[property(description = "For the agent.")]
        a: bool,
        /// Two
        /// lines.
        b: bool,
    }
    let schema = derive::<S>().unwrap();
    let description = |name: &str| {
        let place = format!("/properties/{name}/description");
        schema
            .pointer(&place)
            .and_then(|text| text.as_str())
            .map(str::to_owned)
    };
    assert_eq!(description("a").as_deref(), Some("For the agent."));
    assert_eq!(description("b").as_deref(), Some("Two\nlines."));
}

#[test]
fn everything_together_is_one_document_without_references() {
    let schema = derive::<Everything>().unwrap();
    let text = schema.to_text();
    assert!(!text.contains("$ref") && !text.contains("$defs"));
    insta::assert_snapshot!(pretty(&schema));
}

#[test]
fn generic_types_are_substituted_and_written_out() {
    let page = schema_of::<Page<Item>>();
    let item = schema_of::<Item>();
    assert_eq!(
        page,
        format!(
            r#"{{"type":"object","properties":{{"items":{{"type":"array","items":{item}}},"next":{{"type":"string"}}}},"required":["items"],"additionalProperties":false}}"#
        )
    );
    assert!(schema_of::<Page<Page<Item>>>().contains(&page));
    assert!(schema_of::<Pair<Page<bool>, Pair<i8, Item>>>().contains(&item));
    assert_eq!(
        derive::<Grid<9>>().unwrap(),
        derive::<Grid<1>>().unwrap(),
        "an array's length has no word in Profile 1"
    );
}

#[test]
fn every_derived_schema_compiles_under_profile_1() {
    for document in [
        derive::<Everything>(),
        derive::<Page<Page<Item>>>(),
        derive::<Never>(),
        derive::<Vec<Vec<f32>>>(),
    ] {
        Schema::compile(document.unwrap(), Profile::Profile1).unwrap();
    }
}

#[test]
fn a_type_that_holds_itself_is_refused_with_its_place() {
    let refusal = derive::<Node>().unwrap_err();
    assert_eq!(refusal.fault(), TypeFault::RecursiveType);
    assert_eq!(refusal.place().to_string(), "$/properties/children/items");
    assert_eq!(
        refusal.to_string(),
        "$/properties/children/items: RECURSIVE_TYPE: the type holds itself and never gets smaller; name what it refers to instead of holding it"
    );
    let refusal = derive::<Page<Person>>().unwrap_err();
    assert_eq!(refusal.fault(), TypeFault::RecursiveType);
    assert_eq!(
        refusal.place().to_string(),
        "$/properties/items/items/properties/employer/items/properties/staff/additionalProperties"
    );
}

/// A declaration with generic arguments that weigh `N`, made by hand: derived, the compiler itself ends most of these.
struct Shell<const N: usize>;

/// Stands for the one declaration of all shells.
struct Shells;

macro_rules! shell {
    ($($weight:literal holds $inner:ty),*) => {$(
        impl ToolType for Shell<$weight> {
            fn weight() -> usize {
                $weight
            }
            fn schema(derivation: &mut Derivation) -> Result<Value, TypeRefusal> {
                derivation.record::<Shells>($weight, |properties| {
                    let name = "inner";
                    properties.add::<$inner>(&Property { name, ..Property::default() })
                })
            }
            fn bind(_: View<'_>, _: &mut Binding) -> Result<Self, BindRefusal> {
                Ok(Self)
            }
            fn publish(&self, publication: &mut Publication) -> Result<Value, PublishRefusal> {
                publication.record(|_| Ok(()))
            }
        }
    )*};
}

shell!(1 holds bool, 2 holds Vec<Shell<1>>, 3 holds Shell<2>, 4 holds Vec<Shell<4>>, 5 holds Shell<6>, 6 holds bool);

#[test]
fn a_type_may_hold_itself_while_its_arguments_get_smaller() {
    // The declaration comes back with a part of its own arguments.
    assert!(derive::<Pair<Pair<bool, bool>, bool>>().is_ok());
    assert!(derive::<Page<Page<Page<bool>>>>().is_ok());
    assert!(derive::<Shell<3>>().is_ok());
    let place = |refusal: TypeRefusal| (refusal.fault(), refusal.place().to_string());
    assert_eq!(
        place(derive::<Shell<4>>().unwrap_err()),
        (TypeFault::RecursiveType, "$/properties/inner/items".to_owned())
    );
    assert_eq!(
        place(derive::<Shell<5>>().unwrap_err()),
        (TypeFault::RecursiveType, "$/properties/inner".to_owned())
    );
}

#[test]
fn the_same_type_may_stand_side_by_side() {
    assert!(derive::<Pair<Item, Page<Item>>>().is_ok());
}

#[test]
fn a_recursive_type_is_refused_when_its_tool_is_built() {
    #[derive(ToolType)]
    struct Trees {
        trees: Vec<Node>,
    }
    let refused = Tool::with_name("plant")
        .arguments::<Trees>()
        .handler(|_, trees| async move { ToolResult::text(trees.trees.len().to_string()) })
        .build()
        .unwrap_err();
    assert!(matches!(&refused, ToolBuildError::Type { side: "input", .. }));
    assert_eq!(
        refused.to_string(),
        "tool `plant`: the input type has no schema: $/properties/trees/items/properties/children/items: RECURSIVE_TYPE: the type holds itself and never gets smaller; name what it refers to instead of holding it"
    );
    let refused = Tool::with_name("grow")
        .arguments::<Nothing>()
        .handler(|_, _| async { Vec::<Node>::new() })
        .build()
        .unwrap_err();
    assert!(matches!(refused, ToolBuildError::Type { side: "output", .. }));
}

type Four<T> = Pair<Pair<T, T>, Pair<T, T>>;
type Sixteen<T> = Four<Four<T>>;
type Many = Sixteen<Sixteen<Sixteen<Sixteen<bool>>>>;

#[test]
fn a_type_that_doubles_at_every_level_is_refused_before_it_is_written_out() {
    // 16 levels of pairs: 2^17 - 1 schemas.
    let refusal = derive::<Many>().unwrap_err();
    assert_eq!(refusal.fault(), TypeFault::TooLarge);
}

#[test]
fn a_document_of_4096_schemas_is_written_out_and_one_more_is_refused() {
    // 2^11 - 1 schemas in ten levels of pairs: two of them and their pair are 4,095, a list around makes 4,096.
    type Half = Sixteen<Sixteen<Four<bool>>>;
    assert!(derive::<Vec<Pair<Half, Half>>>().is_ok());
    let refusal = derive::<Vec<Vec<Pair<Half, Half>>>>().unwrap_err();
    assert_eq!(refusal.fault(), TypeFault::TooLarge);
}

type Eight<T> = Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<T>>>>>>>>;
type SixtyThree = Eight<Eight<Eight<Eight<Eight<Eight<Eight<Vec<Vec<Vec<Vec<Vec<Vec<Vec<bool>>>>>>>>>>>>>>;

#[test]
fn schemas_stand_64_deep_and_one_more_is_refused() {
    Schema::compile(derive::<SixtyThree>().unwrap(), Profile::Profile1).unwrap();
    let refusal = derive::<Vec<SixtyThree>>().unwrap_err();
    assert_eq!(refusal.fault(), TypeFault::TooDeep);
}

/// A type made by hand: the names come from outside, so they are checked when it is derived.
fn by_hand(names: &[&str]) -> Result<Value, TypeRefusal> {
    use std::cell::RefCell;
    thread_local!(static NAMES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) });
    struct ByHand;
    impl ToolType for ByHand {
        fn schema(derivation: &mut Derivation) -> Result<Value, TypeRefusal> {
            let names = NAMES.with_borrow(Clone::clone);
            derivation.record::<ByHand>(1, |properties| {
                names.iter().try_for_each(|name| {
                    properties.add::<bool>(&Property {
                        name,
                        ..Property::default()
                    })
                })
            })
        }
        fn bind(_: View<'_>, _: &mut Binding) -> Result<Self, BindRefusal> {
            Ok(Self)
        }
        fn publish(&self, publication: &mut Publication) -> Result<Value, PublishRefusal> {
            publication.record(|_| Ok(()))
        }
    }
    NAMES.set(names.iter().map(|name| (*name).to_owned()).collect());
    derive::<ByHand>()
}

#[test]
fn names_of_properties_differ_and_have_one_to_1024_units() {
    let longest = "x".repeat(MAX_PROPERTY_NAME_UNITS);
    assert!(by_hand(&["a", "A", &longest]).is_ok());
    let too_long = format!("{longest}x");
    // Sixteen bits a unit: a rocket has two.
    let rockets = "\u{1F680}".repeat(MAX_PROPERTY_NAME_UNITS / 2);
    assert!(by_hand(&[&rockets]).is_ok());
    let too_many_rockets = format!("{rockets}x");
    for (names, fault, place) in [
        (
            &["a", "b", "a"][..],
            TypeFault::DuplicateProperty,
            "$/properties/a".to_owned(),
        ),
        (&[""], TypeFault::InvalidDescriptor, "$/properties/".to_owned()),
        (
            &[&too_long],
            TypeFault::InvalidDescriptor,
            format!("$/properties/{too_long}"),
        ),
        (
            &[&too_many_rockets],
            TypeFault::InvalidDescriptor,
            format!("$/properties/{too_many_rockets}"),
        ),
    ] {
        let refusal = by_hand(names).unwrap_err();
        assert_eq!((refusal.fault(), refusal.place().to_string()), (fault, place));
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}
