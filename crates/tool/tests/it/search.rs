use std::sync::Arc;

use toolmesh_tool::{
    Caller, CatalogueTool, Dispatcher, MAX_SEARCH_HITS, Mount, Prefix, Tool, ToolBuilder, ToolName,
    ToolResult, Toolbox, dispatcher::Visibility, semver::Version,
};

use crate::support::caller;

fn tool(name: &str, description: &str) -> ToolBuilder {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("ok") })
        .description(description)
}

fn catalogue() -> (Toolbox, Mount) {
    let tools = [
        tool("balance_of", "The balance of an account."),
        tool(
            "transferFrom",
            "Moves tokens between accounts, after an approval.",
        ),
        tool("transfer", "Moves tokens to an account."),
        tool("weather", "Tells the weather of a city.").title("Forecast"),
        tool("total_supply", "How many tokens there are.").tag("erc20"),
    ];
    let tools = tools.map(|built| built.build().unwrap());
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("s", Prefix::None).unwrap();
    mount.replace(tools.to_vec()).unwrap();
    (toolbox, mount)
}

fn found(toolbox: &Toolbox, query: &str) -> Vec<String> {
    let snapshot = toolbox.snapshot();
    let hits = snapshot.search(query, 10);
    hits.iter().map(|hit| hit.tool.name().to_string()).collect()
}

#[test]
fn names_titles_tags_and_descriptions_are_searched_and_names_weigh_most() {
    let (toolbox, _mount) = catalogue();
    assert_eq!(found(&toolbox, "what is the BALANCE?"), ["balance_of", "weather"]);
    assert_eq!(found(&toolbox, "transfer"), ["transfer", "transferFrom"]);
    assert_eq!(found(&toolbox, "transferFrom"), ["transferFrom", "transfer"]);
    assert_eq!(found(&toolbox, "forecasts"), ["weather"]);
    assert_eq!(found(&toolbox, "erc20"), ["total_supply"]);
    assert_eq!(found(&toolbox, "approval"), ["transferFrom"]);
}

#[test]
fn the_beginning_of_a_word_is_enough_where_no_tool_has_the_word() {
    let (toolbox, _mount) = catalogue();
    assert_eq!(found(&toolbox, "weath"), ["weather"]);
    assert!(found(&toolbox, "w").is_empty(), "one letter is no beginning");
    assert!(found(&toolbox, "nothing").is_empty() && found(&toolbox, " ?! ").is_empty());
}

#[test]
fn the_very_name_comes_first() {
    let (toolbox, mount) = catalogue();
    let loud = tool("x", "total supply total supply")
        .title("total_supply")
        .tag("total")
        .tag("supply");
    mount.add(vec![loud.build().unwrap()]).unwrap();
    assert_eq!(found(&toolbox, " total_supply ")[0], "total_supply");
}

#[test]
fn a_search_follows_the_catalogue_and_an_older_state_shows_nothing_newer() {
    let (toolbox, mount) = catalogue();
    let before = toolbox.snapshot();
    assert_eq!(found(&toolbox, "city"), ["weather"]);
    let weather = (ToolName::new("weather").unwrap(), Version::new(1, 0, 0));
    mount
        .exchange(&[weather], vec![tool("climate", "Of a city.").build().unwrap()])
        .unwrap();
    assert_eq!(found(&toolbox, "city"), ["climate"]);
    assert!(before.search("climate", 10).is_empty());
    mount
        .replace(vec![tool("climate", "Of a country.").build().unwrap()])
        .unwrap();
    assert!(found(&toolbox, "city").is_empty());
    assert_eq!(found(&toolbox, "country"), ["climate"]);
}

#[test]
fn the_highest_version_is_the_one_that_is_searched() {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("s", Prefix::None).unwrap();
    let of = |version, description| {
        let built = tool("t", description).version(Version::new(version, 0, 0));
        built.build().unwrap()
    };
    mount.replace(vec![of(1, "old"), of(2, "new")]).unwrap();
    assert_eq!(
        (found(&toolbox, "new").len(), found(&toolbox, "old").len()),
        (1, 0)
    );
    mount
        .exchange(
            &[(ToolName::new("t").unwrap(), Version::new(2, 0, 0))],
            Vec::new(),
        )
        .unwrap();
    assert_eq!(
        (found(&toolbox, "new").len(), found(&toolbox, "old").len()),
        (0, 1)
    );
}

#[test]
fn at_most_a_hundred_tools_are_found_at_once() {
    let toolbox = Toolbox::new();
    let tools = (0..=MAX_SEARCH_HITS).map(|n| tool(&format!("t{n}"), "same").build().unwrap());
    toolbox
        .mount("s", Prefix::None)
        .unwrap()
        .replace(tools.collect::<Vec<_>>())
        .unwrap();
    let snapshot = toolbox.snapshot();
    assert_eq!(snapshot.search("same", usize::MAX).len(), MAX_SEARCH_HITS);
    assert_eq!(snapshot.search("same", 3).len(), 3);
    assert!(snapshot.search("same", 0).is_empty());
}

struct NoTransfers;

impl Visibility for NoTransfers {
    fn tool(&self, _: &Caller, tool: &CatalogueTool) -> bool {
        !tool.name().as_str().starts_with("transfer")
    }
}

#[test]
fn a_caller_finds_only_what_it_may_see_and_hidden_tools_take_no_place() {
    let (toolbox, _mount) = catalogue();
    let dispatcher = Dispatcher::builder(toolbox)
        .visibility(Arc::new(NoTransfers))
        .build();
    let catalogue = dispatcher.visible_catalogue(&caller());
    let hits = catalogue.search("tokens", 1);
    assert_eq!(
        hits.iter()
            .map(|hit| hit.tool.name().as_str())
            .collect::<Vec<_>>(),
        ["total_supply"]
    );
}

/// Puts the tools in a toolbox of their own.
fn toolbox_of(tools: Vec<ToolBuilder>) -> (Toolbox, Mount) {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("s", Prefix::None).unwrap();
    mount
        .replace(
            tools
                .into_iter()
                .map(|built| built.build().unwrap())
                .collect::<Vec<_>>(),
        )
        .unwrap();
    (toolbox, mount)
}

#[test]
fn of_a_description_the_first_four_thousand_and_ninety_six_bytes_are_searched() {
    let ending_at = |name: &str, word: &str, bytes: usize| {
        tool(name, &format!("{}{word}", "-".repeat(bytes - word.len())))
    };
    let (toolbox, _mount) = toolbox_of(vec![
        ending_at("one", "inside", 4_096),
        ending_at("two", "outside", 4_097),
    ]);
    assert_eq!(found(&toolbox, "inside"), ["one"]);
    assert!(found(&toolbox, "outside").is_empty());
}

#[test]
fn a_beginning_stands_for_sixty_four_words() {
    for (count, expected) in [(64, 64), (65, 64)] {
        let tools = (0..count).map(|n| tool(&format!("t{n}"), &format!("ab{n:02}")));
        let (toolbox, _mount) = toolbox_of(tools.collect());
        assert_eq!(toolbox.snapshot().search("ab", MAX_SEARCH_HITS).len(), expected);
    }
}
