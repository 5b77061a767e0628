//! Forty letters written by hand, with placeholders for place, time and vehicle.
//!
//! A clause in square brackets is dropped if the writer omits the fact of its placeholder. Read
//! next: [`super::words`].

use super::{ComplaintSymptom, Experience, UnrelatedSubject};

/// The subject of a letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    /// This symptom, anywhere.
    Felt(ComplaintSymptom),
    /// This symptom, after the vehicle had left its province.
    Moved(ComplaintSymptom),
    /// A subject outside the network.
    Not(UnrelatedSubject),
}

use About::{Felt, Moved, Not};
use ComplaintSymptom::{CallDrop, HighLatency, Intermittent, NoService, SlowData, WeakSignal};
use UnrelatedSubject::{Account, Bill, Modem, Quota};

const ENGLISH: [(About, &str); 20] = [
    (
        Felt(NoService),
        "Good evening. [{when} ]my car lost every connection[ near {town}] and I had to find my way with a paper map like in the old days. [The number under the windscreen is {vin}. ]Could somebody please tell me whether this is you or the car?",
    ),
    (
        Felt(NoService),
        "The emergency call light went red[ {when}], no network at all[ in {town}]. I find that alarming![ VIN {vin}]",
    ),
    (
        Felt(NoService),
        "I tried to preheat the car from the breakfast table[ {when}] and the app only said 'vehicle offline'. It is parked[ in {town}], where it always worked.[ {vin}]",
    ),
    (
        Felt(SlowData),
        "Why am I paying for streaming when a single song needs two minutes to start?[ {town},][ {when}.] Everything loads at a snail's pace, it's so slow.[ {vin}]",
    ),
    (
        Felt(SlowData),
        "Traffic data on the map were completely outdated since nothing loaded, super slow internet[ around {town}][ {when}].[ Car: {vin}]",
    ),
    (
        Felt(CallDrop),
        "I was talking to my mother[ {when}] and the call was cut off three times[ just outside {town}]. She thinks I hung up on her.[ My VIN: {vin}]",
    ),
    (
        Felt(CallDrop),
        "Conference call dropped again[, {town}][, {when}]. My customers are not amused.[ {vin}]",
    ),
    (
        Felt(HighLatency),
        "When I ask the assistant for the next charging station, the answer comes with an enormous delay.[ It happened {when}][ near {town}].[ VIN is {vin}.]",
    ),
    (
        Felt(WeakSignal),
        "[{when}: ]one bar, sometimes none, weak signal all along the road[ by {town}].[ Vehicle {vin}.] Is there no mast?",
    ),
    (
        Felt(WeakSignal),
        "Reception is a disgrace[ near {town}], hardly a signal[ {when}].[ ({vin})]",
    ),
    (
        Felt(Intermittent),
        "Connected, disconnected, connected, disconnected... on and off[ {when}][ in {town}]. Makes me seasick.[ The car is {vin}]",
    ),
    (
        Felt(Intermittent),
        "The online services come and go[ around {town}]. Noticed it first [{when} ]while the kids were streaming.[ VIN {vin}]",
    ),
    (
        Moved(NoService),
        "[We left {left} with everything working, but as soon as we reached {town}] the car was offline[, that was {when}]. [VIN {vin}. ]Is roaming between your regions broken?",
    ),
    (
        Moved(Intermittent),
        "[Coming from {left} it was fine until {town}, then] the connection was dropping in and out[ {when}].[ {vin}]",
    ),
    (
        Moved(CallDrop),
        "Calls kept dropping[ {when}][ after I drove over from {left} to {town}].[ Vehicle identification number {vin}]",
    ),
    (
        Moved(WeakSignal),
        "[From {left} to {town} I drove yesterday's route again, and] the signal was very weak[ {when}].[ {vin}]",
    ),
    (
        Not(Account),
        "Your app locked my account after I mistyped the password, and the reset mail never came.[ {vin}]",
    ),
    (
        Not(Bill),
        "There are two charges for March on my credit card statement. Please correct the invoice.[ VIN {vin}]",
    ),
    (
        Not(Quota),
        "The car tells me that the data allowance is used up, on the fourth day of the month!?[ {vin}]",
    ),
    (
        Not(Modem),
        "The workshop changed the battery and since then the car says 'SIM card not recognised'. My phone beside it works perfectly.[ {vin}]",
    ),
];

const CHINESE: [(About, &str); 20] = [
    (
        Felt(NoService),
        "师傅您好，[{when}]我的车[在{town}]突然什么网都没有了，导航也停了，差点走错路。[车架号{vin}，]到底是你们的问题还是车的问题？",
    ),
    (
        Felt(NoService),
        "[{when}，]想用手机远程开空调，App一直说车辆离线。车就停在[{town}]老地方，平时都好好的。[{vin}]",
    ),
    (
        Felt(NoService),
        "紧急呼叫灯变红了，[{town}这边]完全没有服务，[时间是{when}。]太吓人了！[VIN：{vin}]",
    ),
    (
        Felt(SlowData),
        "花钱买的流量，放一首歌要缓冲两分钟，网速慢得离谱。[{when}，][{town}附近。][车辆{vin}]",
    ),
    (
        Felt(SlowData),
        "[{when}]堵在[{town}]，想看路况，地图就是加载不出来，太卡了。[{vin}]",
    ),
    (
        Felt(CallDrop),
        "跟客户打电话[，{when}，]断了三次[，就在{town}旁边]，客户以为我故意挂的。[我的车架号：{vin}]",
    ),
    (
        Felt(CallDrop),
        "车载电话又掉线了[，{town}][，{when}]。[{vin}]",
    ),
    (
        Felt(HighLatency),
        "问语音助手附近充电桩，等了好久才回答，延迟太高。[{when}][在{town}一带。][VIN码{vin}]",
    ),
    (
        Felt(WeakSignal),
        "[{town}]那条路上信号一直很弱，有时一格有时没有[，{when}]。[车架号是{vin}。]是不是没有基站？",
    ),
    (
        Felt(WeakSignal),
        "信号太差了[，{when}，][{town}附近]。[（{vin}）]",
    ),
    (
        Felt(Intermittent),
        "连上，断开，又连上，又断开，时断时续[，{when}][，在{town}]。烦死了。[{vin}]",
    ),
    (
        Felt(Intermittent),
        "孩子看动画片，[{town}这一段]网络断断续续[，{when}开始的]。[车架号{vin}]",
    ),
    (
        Moved(NoService),
        "[从{left}出来还好好的，一到{town}]车机就断网了[，那是{when}]。[车架号{vin}。]是不是跨省就不能用？",
    ),
    (
        Moved(Intermittent),
        "[由{left}去{town}，过了省界以后]网络一会儿有一会儿没有[，{when}]。[{vin}]",
    ),
    (
        Moved(CallDrop),
        "[{when}][从{left}开到{town}]打电话老掉线。[VIN {vin}]",
    ),
    (
        Moved(WeakSignal),
        "[离开{left}到了{town}，]信号弱得不行[，{when}]。[{vin}]",
    ),
    (
        Not(Account),
        "密码输错几次，App把我账号锁了，重置邮件也收不到。[{vin}]",
    ),
    (
        Not(Bill),
        "信用卡上三月份扣了两笔钱，请更正账单。[VIN {vin}]",
    ),
    (Not(Quota), "才月初四号，车机就说流量用完了？？[{vin}]"),
    (
        Not(Modem),
        "4S店换了电瓶以后车机一直提示SIM卡无法识别，旁边手机上网正常。[{vin}]",
    ),
];

/// The letters that fit an experience.
pub(super) fn fitting(plight: &Experience) -> Vec<&'static str> {
    let about = match (plight.outside, plight.symptom, &plight.left) {
        (Some(outside), ..) => Some(Not(outside)),
        (None, Some(symptom), Some(_)) => Some(Moved(symptom)),
        (None, Some(symptom), None) => Some(Felt(symptom)),
        (None, None, _) => None,
    };
    let sheets = if plight.chinese { &CHINESE } else { &ENGLISH };
    let fits = sheets.iter().filter(|(of, _)| Some(*of) == about);
    fits.map(|(_, sheet)| *sheet).collect()
}
