//! Reads the pipes of a run into its file and windows, and says when to look again.

use std::io;
use std::time::{Duration, Instant};

use super::{CappedFile, OutputPipe, Window};
use crate::limits::{MAX_NAP, MIN_NAP, NAP_MARGIN, PIPE_BYTES};
use crate::outcome::{CaptureError, Snapshot};

/// A fast writer gets so many reads before anything else is looked at again: a millisecond at memory speed.
const MAX_READS_PER_TURN: usize = 16;

/// Which of the two streams a pipe carries. A background run has only the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output, or both.
    Out = 0,
    /// Standard error of a foreground run.
    Err = 1,
}

/// All pipes of one run, one buffer, one file.
#[derive(Debug)]
pub struct Pump {
    pipes: [Option<OutputPipe>; 2],
    windows: [Window; 2],
    file: CappedFile,
    buffer: Vec<u8>,
    /// Of the smaller of the two.
    pipe_bytes: usize,
    rate: Rate,
    last_data_at: Option<Instant>,
    closed_at: Option<Instant>,
    nap_until: Option<Instant>,
}

impl Pump {
    /// Takes over the reading ends.
    pub fn new(out: OutputPipe, err: Option<OutputPipe>, file: CappedFile, window_bytes: usize) -> Self {
        let capacities = [Some(&out), err.as_ref()].into_iter().flatten().map(OutputPipe::capacity_bytes);
        Self {
            pipe_bytes: capacities.min().unwrap_or(PIPE_BYTES),
            pipes: [Some(out), err],
            windows: [Window::new(window_bytes), Window::new(window_bytes)],
            file,
            buffer: vec![0; PIPE_BYTES],
            rate: Rate::default(),
            last_data_at: None,
            closed_at: None,
            nap_until: None,
        }
    }

    /// The pipes that are still open and worth polling now; none during a nap.
    pub fn pollable(&self, now: Instant) -> impl Iterator<Item = (Stream, &OutputPipe)> {
        let awake = self.nap_until.is_none_or(|until| now >= until);
        [Stream::Out, Stream::Err]
            .into_iter()
            .filter_map(move |s| self.pipes[s as usize].as_ref().filter(|_| awake).map(|p| (s, p)))
    }

    /// When a nap that is not over yet will be.
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        self.nap_until.filter(|until| now < *until)
    }

    /// Reads a pipe that poll called ready: until a read is short, a few buffers' worth at most.
    pub fn read_ready(&mut self, stream: Stream) {
        let (mut total, mut short) = (0, false);
        for _ in 0..MAX_READS_PER_TURN {
            let Some(read) = self.read_once(stream) else { break };
            total += read;
            short = read < self.pipe_bytes / 2;
            if short {
                break;
            }
        }
        if total == 0 {
            return;
        }
        let now = Instant::now();
        self.last_data_at = Some(now);
        let nap = self.rate.note(now, total, self.pipe_bytes);
        self.nap_until = nap.filter(|_| short && OutputPipe::MAY_NAP).map(|nap| now + nap);
    }

    /// Reads what is in the pipes now. After the last member has gone that is all that members have written; a stranger who
    /// was handed the other end may go on writing for ever.
    pub fn drain(&mut self) {
        self.pipes.iter_mut().flatten().for_each(OutputPipe::stop_waiting);
        for stream in [Stream::Out, Stream::Err] {
            let mut left = self.pipes[stream as usize].as_ref().map_or(0, OutputPipe::max_unread_bytes);
            while left > 0
                && let Some(read) = self.read_once(stream)
            {
                left = left.saturating_sub(read);
            }
        }
    }

    /// When the last pipe was seen to have nobody at its other end.
    pub const fn closed_at(&self) -> Option<Instant> {
        self.closed_at
    }

    /// When the last bytes came.
    pub const fn last_data_at(&self) -> Option<Instant> {
        self.last_data_at
    }

    /// The windows as they are.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { stdout: self.windows[0].snapshot(), stderr: self.windows[1].snapshot() }
    }

    /// The last `bytes` of each stream.
    pub fn tail_snapshot(&self, bytes: usize) -> Snapshot {
        Snapshot { stdout: self.windows[0].tail_snapshot(bytes), stderr: self.windows[1].tail_snapshot(bytes) }
    }

    /// Bytes seen on both streams.
    pub fn total_bytes(&self) -> u64 {
        self.windows.iter().map(Window::total_bytes).sum()
    }

    /// The first trouble with the file.
    pub fn error(&self) -> Option<CaptureError> {
        self.file.error()
    }

    /// Bytes read, or `None` when there is nothing now or nothing any more.
    fn read_once(&mut self, stream: Stream) -> Option<usize> {
        let pipe = self.pipes[stream as usize].as_mut()?;
        loop {
            match pipe.read(&mut self.buffer) {
                Ok(n) if n > 0 => {
                    let bytes = &self.buffer[..n];
                    self.file.write(bytes);
                    self.windows[stream as usize].push(bytes);
                    return Some(n);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return None,
                Ok(_) | Err(_) => {
                    self.pipes[stream as usize] = None;
                    self.closed_at = self.pipes.iter().all(Option::is_none).then(Instant::now);
                    return None;
                }
            }
        }
    }
}

/// How fast the writer writes, and how long we may look away so that it never has to wait.
#[derive(Debug, Default)]
struct Rate {
    bytes_per_us: f64,
    last: Option<Instant>,
    reads: u32,
}

impl Rate {
    /// Reads before a stream has a rate; short commands are over by then.
    const WARM_UP_READS: u32 = 8;
    /// Weight of the newest reading.
    const NEWEST: f64 = 0.25;

    fn note(&mut self, now: Instant, bytes: usize, pipe_bytes: usize) -> Option<Duration> {
        let since = self.last.replace(now).map(|last| now.duration_since(last));
        self.reads = self.reads.saturating_add(1);
        let us = since?.as_secs_f64() * 1e6;
        #[expect(clippy::cast_precision_loss, reason = "a buffer's worth of bytes is exact in an f64")]
        let sample = bytes as f64 / us.max(0.1);
        self.bytes_per_us += Self::NEWEST * (sample - self.bytes_per_us);
        if self.reads < Self::WARM_UP_READS {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "the size of a pipe is exact in an f64")]
        let fill_us = pipe_bytes as f64 * 0.375 / self.bytes_per_us.max(1e-3);
        let nap = Duration::from_secs_f64(fill_us.min(1e6) / 1e6).min(MAX_NAP).saturating_sub(NAP_MARGIN);
        (nap >= MIN_NAP).then_some(nap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nap after a steady stream of `bytes` every `us` microseconds.
    fn steady_nap(bytes: usize, us: u64, pipe_bytes: usize) -> Option<Duration> {
        let (mut rate, mut now, mut nap) = (Rate::default(), Instant::now(), None);
        for _ in 0..100 {
            now += Duration::from_micros(us);
            nap = rate.note(now, bytes, pipe_bytes);
        }
        nap
    }

    /// What a writer that fills three eighths of the pipe in so many microseconds writes in a hundred of them.
    fn bytes_of_writer(fills_in_us: usize, pipe_bytes: usize) -> usize {
        pipe_bytes * 3 / 8 * 100 / fills_in_us
    }

    #[test]
    #[cfg(unix)]
    fn a_stranger_who_keeps_writing_keeps_a_run_from_its_end() {
        use std::io::Write as _;

        let (pipe, write) = OutputPipe::pair().unwrap();
        let mut stranger = std::fs::File::from(write);
        stranger.write_all(b"of a member").unwrap();
        // Whatever is read is written again.
        let file = CappedFile::new(stranger, String::new(), 1_000_000);
        let mut pump = Pump::new(pipe, None, file, 64);
        pump.drain();
        assert_eq!((pump.total_bytes(), pump.snapshot().stdout.head), (11, b"of a member".to_vec()));
    }

    #[test]
    fn a_slow_writer_is_looked_at_every_millisecond() {
        assert_eq!(steady_nap(20, 10, PIPE_BYTES), Some(MAX_NAP - NAP_MARGIN));
    }

    #[test]
    fn a_fast_writer_never_finds_the_pipe_full() {
        // The second one is what is left when the user's pipe budget is used up.
        for pipe_bytes in [PIPE_BYTES, 8 * 1024] {
            assert_eq!(steady_nap(bytes_of_writer(98, pipe_bytes), 100, pipe_bytes), None);
            let nap = steady_nap(bytes_of_writer(246, pipe_bytes), 100, pipe_bytes);
            if MIN_NAP < Duration::from_micros(150) {
                let nap = nap.expect("a nap that is worth it");
                assert!(nap > Duration::from_micros(150) && nap < Duration::from_micros(246), "{nap:?}");
            } else {
                assert_eq!(nap, None);
            }
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_writer_waits_at_a_small_pipe_that_is_full() {
        use std::io::Write as _;

        let (pipe, write) = OutputPipe::pair().unwrap();
        let pipe_bytes = rustix::pipe::fcntl_setpipe_size(&write, 8 * 1024).unwrap();
        let mut write = std::fs::File::from(write);
        let mut pump = Pump::new(pipe, None, CappedFile::new(tempfile::tempfile().unwrap(), String::new(), 0), 64);
        let mut naps_after = |bytes: usize| {
            // So slow that a nap is always in time.
            let long_ago = Instant::now().checked_sub(Duration::from_secs(1));
            pump.rate = Rate { bytes_per_us: 1e-3, last: long_ago, reads: Rate::WARM_UP_READS };
            write.write_all(&vec![b'x'; bytes]).unwrap();
            pump.read_ready(Stream::Out);
            pump.nap_until.is_some()
        };
        assert!(!naps_after(pipe_bytes));
        assert!(naps_after(1));
    }

    #[test]
    fn the_first_lines_of_a_command_are_not_delayed() {
        let (mut rate, now) = (Rate::default(), Instant::now());
        assert_eq!(rate.note(now, 10, PIPE_BYTES), None);
        assert_eq!(rate.note(now + Duration::from_micros(5), 10, PIPE_BYTES), None);
    }
}
