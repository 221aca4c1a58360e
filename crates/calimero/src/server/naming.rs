//! Which application is meant.

use crate::execute::ExecuteError;
use crate::model::{Application, Service};

/// Finds the application that a text names: its id, its package, the last segment of its package, or its display name.
/// Only whole segments count, whatever the case; an exact package wins over everything shorter.
pub(super) fn find<'a>(
    applications: &'a [Application],
    wanted: &str,
) -> Result<&'a Application, ExecuteError> {
    if let Some(found) = applications
        .iter()
        .find(|application| application.id.as_deref() == Some(wanted))
    {
        return Ok(found);
    }
    let by_package: Vec<_> = applications
        .iter()
        .filter(|application| application.package.as_deref() == Some(wanted))
        .collect();
    if let [found] = by_package.as_slice() {
        return Ok(found);
    }
    if by_package.len() > 1 {
        return Err(several_signers(wanted, &by_package));
    }
    let same = |text: &str| text.eq_ignore_ascii_case(wanted);
    let by_name: Vec<_> = applications
        .iter()
        .filter(|application| {
            let segment = application.key().rsplit('.').next().unwrap_or_default();
            same(segment) || application.display_name.as_deref().is_some_and(same)
        })
        .collect();
    match by_name.as_slice() {
        [found] => Ok(found),
        [] => Err(ExecuteError::NotFound(format!(
            "Application \"{wanted}\" not found. Installed: {}",
            listed(applications.iter())
        ))),
        several if several.iter().all(|one| one.package == by_name[0].package) => {
            Err(several_signers(wanted, several))
        }
        several => Err(ExecuteError::NotFound(format!(
            "\"{wanted}\" is ambiguous: {}. Pass the full package name or the application id.",
            listed(several.iter().copied())
        ))),
    }
}

fn several_signers(wanted: &str, applications: &[&Application]) -> ExecuteError {
    let ids: Vec<String> = applications
        .iter()
        .map(|one| {
            let signer = one.signer.as_deref().unwrap_or("unknown");
            format!("{} (signer {signer})", one.id.as_deref().unwrap_or_default())
        })
        .collect();
    ExecuteError::NotFound(format!(
        "\"{wanted}\" is published by several signers: {}. Pass the application id.",
        ids.join(", ")
    ))
}

fn listed<'a>(applications: impl Iterator<Item = &'a Application>) -> String {
    let names: Vec<&str> = applications.map(Application::key).collect();
    if names.is_empty() {
        "(none)".to_owned()
    } else {
        names.join(", ")
    }
}

/// Finds a service; without a name, the only one.
pub(super) fn service<'a>(
    application: &'a Application,
    wanted: Option<&str>,
) -> Result<&'a Service, ExecuteError> {
    let services = application.services.as_slice();
    let names = || {
        let names: Vec<&str> = services
            .iter()
            .filter_map(|service| service.name.as_deref())
            .collect();
        names.join(", ")
    };
    match (wanted, services) {
        (_, []) => Err(ExecuteError::NotFound(format!(
            "The interface of {} cannot be read from the node.",
            application.key()
        ))),
        (None, [only]) => Ok(only),
        (None, _) => Err(ExecuteError::NotFound(format!(
            "{} has several services; pass `service` (available: {}).",
            application.key(),
            names()
        ))),
        (Some(wanted), services) => services
            .iter()
            .find(|service| service.name.as_deref() == Some(wanted))
            .ok_or_else(|| {
                ExecuteError::NotFound(format!(
                    "{} has no service \"{wanted}\" (available: {}).",
                    application.key(),
                    names()
                ))
            }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn application(id: &str, package: &str, name: &str, signer: &str) -> Application {
        Application {
            id: Some(id.to_owned()),
            package: Some(package.to_owned()),
            display_name: (!name.is_empty()).then(|| name.to_owned()),
            signer: Some(signer.to_owned()),
            ..Application::default()
        }
    }

    fn told(applications: &[Application], wanted: &str) -> String {
        match find(applications, wanted) {
            Ok(found) => found.id.clone().unwrap(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn an_application_is_named_by_id_package_segment_or_display_name() {
        let apps = [
            application("1", "com.calimero.mero-chat", "Mero Chat", "s"),
            application("2", "com.calimero.mero-chat-v2", "Chat of Tomorrow", "s"),
        ];
        for (wanted, id) in [
            ("1", "1"),
            ("com.calimero.mero-chat", "1"),
            ("mero-chat", "1"),
            ("MERO-CHAT", "1"),
            ("mero chat", "1"),
            ("mero-chat-v2", "2"),
        ] {
            assert_eq!(told(&apps, wanted), id, "{wanted}");
        }
        assert_eq!(
            told(&apps, "chat"),
            "Application \"chat\" not found. Installed: com.calimero.mero-chat, com.calimero.mero-chat-v2"
        );
        assert_eq!(told(&[], "x"), "Application \"x\" not found. Installed: (none)");
    }

    #[test]
    fn an_exact_package_wins_and_what_is_ambiguous_is_told() {
        let apps = [
            application("1", "kv", "", "s"),
            application("2", "com.a.kv", "", "s"),
            application("3", "com.b.store", "kv", "s"),
        ];
        assert_eq!(told(&apps, "kv"), "1");
        assert_eq!(
            told(&apps[1..], "kv"),
            "\"kv\" is ambiguous: com.a.kv, com.b.store. Pass the full package name or the application id."
        );
    }

    #[test]
    fn one_package_of_two_signers_is_an_error_of_its_own() {
        let apps = [
            application("1", "com.a.kv", "", "did:1"),
            application("2", "com.a.kv", "", "did:2"),
        ];
        let expected = |wanted: &str| {
            format!(
                "\"{wanted}\" is published by several signers: 1 (signer did:1), 2 (signer did:2). Pass the application id."
            )
        };
        assert_eq!(told(&apps, "com.a.kv"), expected("com.a.kv"));
        assert_eq!(told(&apps, "kv"), expected("kv"));
        assert_eq!(told(&apps, "2"), "2");
    }
}
