//! The Job Object of a run: made before its shell, and closed with the last handle of this process.

use std::io;
use std::mem;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{ERROR_MORE_DATA, FILETIME, HANDLE};
use windows_sys::Win32::System::JobObjects::{
    CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_ASSOCIATE_COMPLETION_PORT,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JOBOBJECTINFOCLASS,
    JobObjectAssociateCompletionPortInformation, JobObjectBasicAccountingInformation, JobObjectBasicProcessIdList,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};

use super::exit_code::ENDED_BY_US;
use super::machine::open_process;
use crate::poller::completion_port::{CompletionPort, Source};

/// Room for so many members at first.
const FIRST_ROOM: usize = 64;

/// The system ends members in microseconds.
const PAUSE_BETWEEN_ROUNDS: Duration = Duration::from_millis(1);

/// What the members of a run use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// How many there are.
    pub members: u32,
    /// CPU time of all that ever were, in milliseconds.
    pub cpu_ms: u64,
    /// Memory of those that are there now.
    pub resident_bytes: u64,
}

/// Every process that is started inside is inside for ever: there is no flag here by which one may break away, and a
/// member of another job (an installer's, say) is a member of both.
#[derive(Debug)]
pub(crate) struct Job(OwnedHandle);

impl Job {
    /// An empty job whose messages go to `port`. No child inherits its handle, so it is closed when this process ends,
    /// however that comes, and the system then ends every member.
    pub(crate) fn new(port: &CompletionPort) -> io::Result<Self> {
        // SAFETY: no name and no attributes; an error is a null handle.
        let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new and ours.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(handle) });
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        job.set(JobObjectExtendedLimitInformation, &limits)?;
        let messages = JOBOBJECT_ASSOCIATE_COMPLETION_PORT {
            CompletionKey: ptr::without_provenance_mut(Source::Job as usize),
            CompletionPort: port.raw(),
        };
        job.set(JobObjectAssociateCompletionPortInformation, &messages)?;
        Ok(job)
    }

    pub(crate) fn raw(&self) -> HANDLE {
        self.0.as_raw_handle()
    }

    /// Ends every member at once. Nobody can be started inside meanwhile: the system does it under the lock of the job.
    pub(crate) fn terminate(&self) {
        // SAFETY: the job is open. What it could not end is found by who looks next.
        unsafe { TerminateJobObject(self.raw(), ENDED_BY_US) };
    }

    /// The same, again and again, until nobody is left or the time is over.
    pub(crate) fn terminate_until_empty(&self, bound: Duration) {
        let give_up_at = Instant::now() + bound;
        loop {
            self.terminate();
            if self.active().is_ok_and(|members| members == 0) || Instant::now() >= give_up_at {
                return;
            }
            thread::sleep(PAUSE_BETWEEN_ROUNDS);
        }
    }

    /// How many members have not ended.
    pub(crate) fn active(&self) -> io::Result<u32> {
        Ok(self.accounting()?.ActiveProcesses)
    }

    /// Numbers of the members.
    pub(crate) fn pids(&self) -> io::Result<Vec<u32>> {
        let mut room = FIRST_ROOM;
        loop {
            // Two counts of 32 bits, then numbers of 64 (JOBOBJECT_BASIC_PROCESS_ID_LIST).
            let mut list = vec![0_u64; 1 + room];
            let bytes = u32::try_from(list.len() * mem::size_of::<u64>()).unwrap_or(u32::MAX);
            // SAFETY: the list has so many bytes, aligned for what is written to it.
            let ok = unsafe {
                QueryInformationJobObject(
                    self.raw(),
                    JobObjectBasicProcessIdList,
                    list.as_mut_ptr().cast(),
                    bytes,
                    ptr::null_mut(),
                )
            };
            let error = io::Error::last_os_error();
            let assigned = (list[0] & u64::from(u32::MAX)) as usize;
            let listed = (list[0] >> 32) as usize;
            if ok == 0 && error.raw_os_error() != Some(ERROR_MORE_DATA.cast_signed()) {
                return Err(error);
            }
            if listed >= assigned.min(room + 1) || (ok != 0 && listed < room) {
                return Ok(list[1..=listed.min(room)].iter().filter_map(|pid| u32::try_from(*pid).ok()).collect());
            }
            room = assigned.max(room) * 2;
        }
    }

    /// What the members use now.
    pub(crate) fn usage(&self) -> io::Result<Usage> {
        let accounting = self.accounting()?;
        let ticks = accounting.TotalUserTime.saturating_add(accounting.TotalKernelTime);
        Ok(Usage {
            members: accounting.ActiveProcesses,
            // A tick has 100 nanoseconds.
            cpu_ms: u64::try_from(ticks / 10_000).unwrap_or_default(),
            resident_bytes: self.pids()?.into_iter().filter_map(resident_bytes_of).sum(),
        })
    }

    fn accounting(&self) -> io::Result<JOBOBJECT_BASIC_ACCOUNTING_INFORMATION> {
        let mut accounting = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: the structure is the one of this class and has the size that is told.
        let ok = unsafe {
            QueryInformationJobObject(
                self.raw(),
                JobObjectBasicAccountingInformation,
                (&raw mut accounting).cast(),
                mem::size_of_val(&accounting) as u32,
                ptr::null_mut(),
            )
        };
        if ok == 0 { Err(io::Error::last_os_error()) } else { Ok(accounting) }
    }

    /// `value` has to be the structure of `class`.
    fn set<T>(&self, class: JOBOBJECTINFOCLASS, value: &T) -> io::Result<()> {
        // SAFETY: the structure is the one of the class, is only read, and has the size that is told.
        let ok = unsafe {
            SetInformationJobObject(self.raw(), class, ptr::from_ref(value).cast(), mem::size_of::<T>() as u32)
        };
        if ok == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

fn resident_bytes_of(pid: u32) -> Option<u64> {
    let process = open_process(pid).ok()?;
    let mut counters = PROCESS_MEMORY_COUNTERS::default();
    let bytes = mem::size_of_val(&counters) as u32;
    // SAFETY: the process is open, and the structure has the size that is told.
    let ok = unsafe { K32GetProcessMemoryInfo(process.as_raw_handle(), &raw mut counters, bytes) };
    (ok != 0).then_some(counters.WorkingSetSize as u64)
}

/// Time in ticks of 100 nanoseconds.
pub(super) const fn ticks_of(time: FILETIME) -> u64 {
    (time.dwHighDateTime as u64) << 32 | time.dwLowDateTime as u64
}
