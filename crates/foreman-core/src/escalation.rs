//! Polite, wait, hard: how a run is ended, as a state machine over times that it is given.
//!
//! Design: docs/design/termination.md.

use std::time::{Duration, Instant};

use crate::limits::{
    FIRST_KILL_PAUSE, MAX_KILL_PAUSE, MAX_REST_AFTER, PAUSE_AFTER_REPORT, REST_AFTER, SURVIVOR_REPORT_AFTER,
};

/// What has to be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Ask the members at hand to end (TERM): the shell's group and our own children.
    Polite,
    /// Ask the others, once: by now most of those at hand are gone, and what they left behind is at hand.
    PoliteRest,
    /// End the members at hand (KILL).
    Hard,
    /// End all members; comes again until the run is empty.
    HardRest,
    /// Tell the caller who is still there; comes at most once, with a [`Step::Hard`] right behind it.
    ReportSurvivors,
}

/// The ending of one run.
#[derive(Debug, Clone, Default)]
pub struct Escalation {
    state: State,
    /// When a member was last seen to have ended.
    last_end: Option<Instant>,
    reported: bool,
}

#[derive(Debug, Clone, Copy, Default)]
enum State {
    #[default]
    Idle,
    Waiting {
        since: Instant,
        rest_is_asked: bool,
        until: Instant,
    },
    Killing {
        since: Instant,
        next: Instant,
        pause: Duration,
    },
}

impl Escalation {
    /// Somebody wants the run to end. A second request skips what is left of the grace.
    pub fn request(&mut self, now: Instant, grace: Duration) -> Option<Step> {
        match self.state {
            State::Idle if !grace.is_zero() => {
                self.state = State::Waiting { since: now, rest_is_asked: false, until: now + grace };
                Some(Step::Polite)
            }
            State::Idle | State::Waiting { .. } => Some(self.start_killing(now)),
            State::Killing { .. } => None,
        }
    }

    /// The grace ends at `until` at the latest; never later than it already did.
    pub fn shorten_grace(&mut self, limit: Instant) {
        if let State::Waiting { until, .. } = &mut self.state {
            *until = limit.min(*until);
        }
    }

    /// Whether an end was asked for.
    pub const fn is_under_way(&self) -> bool {
        !matches!(self.state, State::Idle)
    }

    /// Whether nobody is asked any more.
    pub const fn is_hard(&self) -> bool {
        matches!(self.state, State::Killing { .. })
    }

    /// When [`Self::step`] has something to say next.
    pub fn deadline(&self) -> Option<Instant> {
        match self.state {
            State::Idle => None,
            State::Waiting { rest_is_asked: true, until, .. } => Some(until),
            State::Waiting { since, until, .. } => Some(self.rest_at(since).min(until)),
            State::Killing { next, .. } => Some(next),
        }
    }

    /// A member has ended. While they do, the rest is not looked up.
    pub const fn note_end(&mut self, now: Instant) {
        self.last_end = Some(now);
    }

    fn rest_at(&self, since: Instant) -> Instant {
        let settled = self.last_end.map_or(since, |end| end.max(since)) + REST_AFTER;
        settled.min(since + MAX_REST_AFTER)
    }

    /// What is due at `now`, if the run is not empty yet. Call it until it has nothing to say.
    pub fn step(&mut self, now: Instant) -> Option<Step> {
        match self.state {
            State::Waiting { until, .. } if now >= until => Some(self.start_killing(now)),
            State::Waiting { since, rest_is_asked: false, until } if now >= self.rest_at(since) => {
                self.state = State::Waiting { since, rest_is_asked: true, until };
                Some(Step::PoliteRest)
            }
            State::Killing { since, .. } if !self.reported && now.duration_since(since) >= SURVIVOR_REPORT_AFTER => {
                self.reported = true;
                Some(Step::ReportSurvivors)
            }
            State::Killing { since, next, pause } if now >= next => {
                let next_pause = if self.reported { PAUSE_AFTER_REPORT } else { (pause * 2).min(MAX_KILL_PAUSE) };
                self.state = State::Killing { since, next: now + pause, pause: next_pause };
                Some(if now < self.rest_at(since) { Step::Hard } else { Step::HardRest })
            }
            State::Idle | State::Waiting { .. } | State::Killing { .. } => None,
        }
    }

    fn start_killing(&mut self, now: Instant) -> Step {
        self.state = State::Killing { since: now, next: now + FIRST_KILL_PAUSE, pause: FIRST_KILL_PAUSE * 2 };
        Step::Hard
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_millis(2_000);

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn a_stop_is_polite_first_and_hard_when_the_grace_is_over() {
        let (mut escalation, t0) = (Escalation::default(), Instant::now());
        assert_eq!(escalation.request(t0, GRACE), Some(Step::Polite));
        assert_eq!(escalation.deadline(), Some(t0 + REST_AFTER));
        assert_eq!(escalation.step(t0 + REST_AFTER), Some(Step::PoliteRest));
        assert_eq!(escalation.step(t0 + ms(1_999)), None);
        assert_eq!(escalation.deadline(), Some(t0 + GRACE));
        assert_eq!(escalation.step(t0 + GRACE), Some(Step::Hard));
    }

    #[test]
    fn a_large_tree_is_not_looked_up_while_it_is_ending() {
        let (mut escalation, t0) = (Escalation::default(), Instant::now());
        escalation.request(t0, GRACE);
        for at in 1..=20 {
            escalation.note_end(t0 + ms(at));
            assert_eq!(escalation.step(t0 + ms(at)), None);
        }
        assert_eq!(escalation.deadline(), Some(t0 + ms(20) + REST_AFTER));
        escalation.note_end(t0 + MAX_REST_AFTER);
        assert_eq!(escalation.step(t0 + MAX_REST_AFTER), Some(Step::PoliteRest));
    }

    #[test]
    fn no_grace_means_hard_at_once() {
        let (mut escalation, t0) = (Escalation::default(), Instant::now());
        assert_eq!(escalation.request(t0, Duration::ZERO), Some(Step::Hard));
    }

    #[test]
    fn a_second_request_does_not_wait_for_the_grace() {
        let (mut escalation, t0) = (Escalation::default(), Instant::now());
        escalation.request(t0, GRACE);
        assert_eq!(escalation.request(t0 + ms(10), GRACE), Some(Step::Hard));
        assert_eq!(escalation.request(t0 + ms(20), GRACE), None);
    }

    #[test]
    fn kill_is_repeated_ever_more_slowly_until_somebody_stops_asking() {
        let (mut escalation, mut now) = (Escalation::default(), Instant::now());
        escalation.request(now, Duration::ZERO);
        let (mut pauses, mut steps) = (Vec::new(), Vec::new());
        while pauses.len() < 9 {
            let due = escalation.deadline().expect("it goes on");
            pauses.push((due - now).as_millis());
            now = due;
            steps.extend(escalation.step(now));
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
        assert_eq!(steps, [&[Step::Hard; 4][..], &[Step::HardRest; 5]].concat());
    }

    #[test]
    fn survivors_are_reported_once_and_tried_again() {
        let (mut escalation, t0) = (Escalation::default(), Instant::now());
        escalation.request(t0, Duration::ZERO);
        let late = t0 + SURVIVOR_REPORT_AFTER;
        assert_eq!(escalation.step(late), Some(Step::ReportSurvivors));
        assert_eq!(escalation.step(late), Some(Step::HardRest));
        assert_eq!(escalation.step(late + SURVIVOR_REPORT_AFTER), Some(Step::HardRest));
    }

    #[test]
    fn a_host_that_goes_away_shortens_the_grace_but_never_stretches_it() {
        let (mut escalation, t0) = (Escalation::default(), Instant::now());
        escalation.request(t0, ms(100));
        escalation.shorten_grace(t0 + ms(400));
        escalation.step(t0 + REST_AFTER);
        assert_eq!(escalation.deadline(), Some(t0 + ms(100)));
        escalation.shorten_grace(t0 + ms(50));
        assert_eq!(escalation.deadline(), Some(t0 + ms(50)));
    }
}
