//! The texts that customers are told and asked, in plain English and Chinese.
//!
//! No element's name and no term of the trade stands in it: where it was, what was wrong, what is
//! done, and when it will be better. Read next: [`super::finding`].

use super::case::Missing;
use super::finding::ComplaintFinding;
use super::reader::ComplaintReading;
use super::reader::matter::OtherMatter;
use crate::payloads::complaint::ComplaintBoundary;
use crate::payloads::quality::{Quality, QualityResult};
use domain::cause::Cause;
use domain::gazetteer;
use domain::time::Timestamp;

/// The question for what is missing.
pub(super) fn question(missing: &Missing, chinese: bool) -> String {
    let wanted = [
        (missing.time, "when it happened", "发生的时间"),
        (missing.place, "where it happened", "发生的地点"),
        (
            missing.vehicle,
            "the vehicle identification number (17 characters)",
            "17位车架号",
        ),
    ];
    let wanted = wanted.into_iter().filter(|(lacks, ..)| *lacks);
    let (english, han): (Vec<&str>, Vec<&str>) = wanted.map(|(_, en, zh)| (en, zh)).unzip();
    match chinese {
        true => format!("为了帮您查清原因，请告诉我们{}。", han.join("、")),
        false => format!(
            "To find out what happened, please tell us {}.",
            joined(&english)
        ),
    }
}

/// The same question once more: its answer was more than is read.
pub(super) fn asked_again(missing: &Missing, chinese: bool) -> String {
    let question = question(missing, chinese);
    match chinese {
        true => format!("您的回答太长，无法读取。{question}"),
        false => format!("Your answer was too long to be read. {question}"),
    }
}

fn joined(parts: &[&str]) -> String {
    match parts {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The one answer.
pub(super) fn answer(
    finding: &ComplaintFinding,
    account: &ComplaintReading,
    missing: Missing,
    chinese: bool,
) -> String {
    let said = match finding.boundary {
        ComplaintBoundary::OwnDomain | ComplaintBoundary::OtherDomain => {
            broken(finding, account, chinese)
        }
        ComplaintBoundary::Coverage => coverage(account, chinese),
        ComplaintBoundary::Customer => customer(account, chinese),
        ComplaintBoundary::Outside => outside(account, chinese),
        ComplaintBoundary::Unknown => unknown(chinese),
    };
    match guessed(missing, chinese) {
        Some(guess) if account.outside.is_none() => {
            [said, guess].join(if chinese { "" } else { " " })
        }
        _ => said,
    }
}

fn near(account: &ComplaintReading, chinese: bool) -> String {
    match (&account.place, chinese) {
        (Some(town), true) => format!("{}附近", gazetteer::chinese(town).unwrap_or(town)),
        (Some(town), false) => format!("near {town}"),
        (None, true) => "您当时所在的地方".to_owned(),
        (None, false) => "where you were".to_owned(),
    }
}

/// "21 April, 19:05 (UTC)".
fn instant(at: Timestamp, chinese: bool) -> String {
    let (date, clock) = (at.date(), at.clock());
    let (month, day) = (date.month(), date.day());
    match chinese {
        true => format!("{}月{day}日{clock}（UTC）", u8::from(month)),
        false => format!("{day} {month}, {clock} (UTC)"),
    }
}

fn broken(finding: &ComplaintFinding, account: &ComplaintReading, chinese: bool) -> String {
    let Some(blamed) = &finding.blamed else {
        return unknown(chinese);
    };
    let place = near(account, chinese);
    let what = what_failed(finding, blamed, chinese);
    let since = blamed.since.map(|at| instant(at, chinese));
    match (chinese, since, blamed.until) {
        (false, Some(since), Some(until)) => format!(
            "Thank you for telling us. From {since} {what} {place}. It has worked again since {}. We are sorry for the trouble.",
            instant(until, false)
        ),
        (false, since, _) => format!(
            "Thank you for telling us. {}{what} {place}. Our engineers are working on it; such repairs are usually done within a few hours. We are sorry for the trouble.",
            since.map_or(String::new(), |s| format!("Since {s} "))
        ),
        (true, Some(since), Some(until)) => format!(
            "感谢您的反馈。{place}自{since}起{what}，{}已恢复正常。给您带来不便，深表歉意。",
            instant(until, true)
        ),
        (true, since, _) => format!(
            "感谢您的反馈。{place}{}{what}，我们的工程师正在处理，通常几小时内可以恢复。给您带来不便，深表歉意。",
            since.map_or(String::new(), |s| format!("自{s}起"))
        ),
    }
}

/// The fault, as a clause that goes before the place in English, behind it in Chinese.
fn what_failed(finding: &ComplaintFinding, blamed: &QualityResult, chinese: bool) -> String {
    let (english, han) = match (blamed.cause, finding.responsible, blamed.quality) {
        (Some(Cause::MainsFailure), ..) => ("a base station had no electricity", "基站停电"),
        (Some(Cause::Interference), ..) => (
            "a foreign transmitter disturbed our network",
            "网络受到外部信号干扰",
        ),
        (Some(Cause::Congestion), ..) => ("our network was overloaded", "网络拥塞"),
        (_, Some("IP"), Quality::Failed) => (
            "the connection to a base station was interrupted",
            "基站传输线路中断",
        ),
        (_, Some("IP"), _) => (
            "the connection to a base station was disturbed",
            "基站传输线路质量下降",
        ),
        (_, _, Quality::Failed) => ("a base station was out of service", "基站发生故障"),
        _ => (
            "a base station could not serve everybody well",
            "基站服务质量下降",
        ),
    };
    if chinese { han } else { english }.to_owned()
}

fn coverage(account: &ComplaintReading, chinese: bool) -> String {
    let place = near(account, chinese);
    match chinese {
        true => format!(
            "感谢您的反馈。经核查，{place}当时网络没有故障，但该路段信号覆盖较弱。我们已记录该位置，供网络规划参考。"
        ),
        false => format!(
            "Thank you for telling us. Nothing was broken {place} at that time, but the signal is weak there. We have noted the place for our network planning."
        ),
    }
}

fn customer(account: &ComplaintReading, chinese: bool) -> String {
    let modem = account.outside == Some(OtherMatter::Modem);
    match (modem, chinese) {
        (true, true) => "感谢您的反馈。您描述的是车载通信模块或SIM卡的故障，网络侧未发现异常，请联系汽车服务店检查。".to_owned(),
        (true, false) => "Thank you for telling us. What you describe is a fault of the car's own modem or SIM card; our network shows nothing wrong. Please have it checked by your car workshop.".to_owned(),
        (false, true) => "感谢您的反馈。记录显示您的车辆当时信号良好，网络运行正常。建议重启车机，如仍有问题请让汽车服务店检查通信模块。".to_owned(),
        (false, false) => "Thank you for telling us. At that time your vehicle had a good signal and our network worked well. Please restart the car's infotainment; if it happens again, have the modem checked by your workshop.".to_owned(),
    }
}

fn outside(account: &ComplaintReading, chinese: bool) -> String {
    let (english, han) = match account.outside {
        Some(OtherMatter::Account) => (
            "It is about the account of the car maker's app: please have it unlocked by the maker's account service",
            "这是车企App账号的问题，请联系车企账号服务解锁",
        ),
        Some(OtherMatter::Quota) => (
            "The data volume of your tariff is a matter for billing: they can tell how much is left and add more",
            "流量套餐属于计费业务，计费部门可以为您查询余量并加购",
        ),
        _ => (
            "Charges are a matter for billing: they will check your bill and correct it where it is wrong",
            "费用问题由计费部门处理，他们会核对账单，如有错误将予以更正",
        ),
    };
    match chinese {
        true => format!("感谢您的反馈。经核查，网络没有故障。{han}。"),
        false => {
            format!("Thank you for telling us. This is not a fault of the network. {english}.")
        }
    }
}

fn unknown(chinese: bool) -> String {
    match chinese {
        true => "感谢您的反馈。根据目前的信息我们没有发现网络故障，也无法确定原因。如再次出现，请记下时间、地点和车架号告诉我们。".to_owned(),
        false => "Thank you for telling us. With what we know we found no fault, and could not find out the cause. If it happens again, please note time, place and vehicle number and tell us.".to_owned(),
    }
}

/// The part that was left open, if anything was.
fn guessed(missing: Missing, chinese: bool) -> Option<String> {
    let open = [
        (missing.time, "the time", "时间"),
        (missing.vehicle, "the vehicle", "车辆"),
        (missing.vehicle && missing.place, "the place", "地点"),
    ];
    let open = open.into_iter().filter(|(lacks, ..)| *lacks);
    let (english, han): (Vec<&str>, Vec<&str>) = open.map(|(_, en, zh)| (en, zh)).unzip();
    if english.is_empty() {
        return None;
    }
    Some(match chinese {
        true => format!(
            "（由于不清楚{}，以上是我们能得出的最好判断。）",
            han.join("、")
        ),
        false => format!(
            "(Without knowing {} this is the best we can say.)",
            joined(&english)
        ),
    })
}

/// The other province's answer.
pub(super) fn from_elsewhere(province: &str, answer: &str, chinese: bool) -> String {
    match chinese {
        true => format!(
            "问题发生在{}的网络。{answer}",
            province_in_chinese(province)
        ),
        false => format!("It happened in the network of our province {province}. {answer}"),
    }
}

/// The other province did not answer.
pub(super) fn unreached(province: &str, chinese: bool) -> String {
    match chinese {
        true => format!(
            "感谢您的反馈。问题发生在{}的网络，我们已转交当地同事，但暂未得到结果，他们会继续跟进。",
            province_in_chinese(province)
        ),
        false => format!(
            "Thank you for telling us. It happened in the network of our province {province}. Our colleagues there have been told but have not answered yet; they will follow it up."
        ),
    }
}

fn province_in_chinese(province: &str) -> String {
    match province {
        "North" => "北部省".to_owned(),
        "South" => "南部省".to_owned(),
        other => format!("{other}省"),
    }
}
