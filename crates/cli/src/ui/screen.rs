//! The terminal: set up, drawn and read by a thread of its own, and restored whatever happens.
//!
//! The dashboard is drawn on standard error, as the progress line is, so that standard output can go to a file. The thread
//! answers keys while the exploration is in a long query.

use crate::ui::clock::Clock;
use crate::ui::draw::draw;
use crate::ui::keys::{Request, press};
use crate::ui::model::{DashboardModel, Phase};
use everypath::SteeringQueue;
use everypath_explore::{FunctionCode, Steering};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::{cursor, execute, terminal};
use std::collections::BTreeMap;
use std::io::{self, BufWriter, IsTerminal, Stderr, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Time between two frames.
const FRAME: Duration = Duration::from_millis(100);
/// Time between two looks whether there still is a terminal.
const WATCH: Duration = Duration::from_millis(500);
/// The time that a panic, and the end, wait for a frame to be completed.
const LAST_FRAME: Duration = Duration::from_millis(300);
/// A second request to quit within this time counts as the first.
const AT_ONCE: Duration = Duration::from_millis(700);

/// The state shared by the exploration and the thread of the screen.
pub(super) struct Shared {
    pub(super) model: Mutex<DashboardModel>,
    pub(super) clock: Mutex<Clock>,
    /// The code of the functions that the model names.
    pub(super) functions: Mutex<BTreeMap<String, FunctionCode>>,
    pub(super) steering: SteeringQueue,
    /// Cancels the exploration when it is set.
    pub(super) stop: Arc<AtomicBool>,
    /// Whether the terminal has been restored; held while a frame is drawn.
    restored: Mutex<bool>,
}

/// A lock that a panic elsewhere does not break: the data is only shown.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn new(model: DashboardModel, stop: Arc<AtomicBool>) -> Shared {
        Shared {
            model: Mutex::new(model),
            clock: Mutex::new(Clock::start()),
            functions: Mutex::default(),
            steering: SteeringQueue::default(),
            stop,
            restored: Mutex::new(true),
        }
    }

    /// The model, at the present time.
    pub(super) fn model(&self) -> MutexGuard<'_, DashboardModel> {
        let elapsed = locked(&self.clock).elapsed();
        let mut model = locked(&self.model);
        model.elapsed = elapsed;
        model
    }

    /// Restores the terminal, once.
    pub(super) fn restore(&self) {
        restore_once(&mut locked(&self.restored));
    }

    /// Restores the terminal in a panic, which may be that of the thread that draws.
    fn restore_in_panic(&self) {
        let started = Instant::now();
        loop {
            match self.restored.try_lock() {
                Ok(mut restored) => return restore_once(&mut restored),
                Err(TryLockError::Poisoned(error)) => return restore_once(&mut error.into_inner()),
                Err(TryLockError::WouldBlock) if started.elapsed() > LAST_FRAME => {
                    return restore_once(&mut false);
                }
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn is_restored(&self) -> bool {
        *locked(&self.restored)
    }

    /// Passes requests of the user on to the exploration.
    fn ask(&self, requests: Vec<Request>, model: &mut DashboardModel) {
        let codes = locked(&self.functions);
        let code = |name: &String| codes.get(name).cloned();
        for request in requests {
            match request {
                Request::Pause => self.steering.pause(),
                Request::Resume => self.steering.resume(),
                Request::Focus => {
                    self.steering.push(Steering::Focus(model.focus.iter().filter_map(code).collect()));
                }
                Request::Skip => {
                    self.steering.push(Steering::Skip(model.skipped.iter().filter_map(code).collect()));
                }
                Request::Seconds(seconds) => self.steering.push(Steering::Seconds(seconds)),
                Request::PathInstructions(bound) => self.steering.push(Steering::PathInstructions(bound)),
                Request::Quit => {
                    model.phase = Phase::Ending;
                    self.stop.store(true, Ordering::Relaxed);
                    self.steering.resume();
                }
            }
        }
    }
}

/// Restores the terminal, unless it is. There is nothing to be done if that fails.
fn restore_once(restored: &mut bool) {
    if !std::mem::replace(restored, true) {
        let _ = terminal::disable_raw_mode();
        let _ = execute!(stderr(), terminal::LeaveAlternateScreen, cursor::Show);
    }
}

/// The screen, while it is shown. Dropping it restores the terminal.
pub(super) struct Screen {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Screen {
    /// Sets up the terminal, and starts to draw and to read keys.
    pub(super) fn open(shared: &Arc<Shared>) -> io::Result<Screen> {
        terminal::enable_raw_mode()?;
        *locked(&shared.restored) = false;
        let mut screen = Screen { shared: shared.clone(), thread: None };
        execute!(stderr(), terminal::EnterAlternateScreen, cursor::Hide)?;
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::new(stderr())))?;
        let in_panic = shared.clone();
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // Without the screen nobody could stop the search.
            in_panic.stop.store(true, Ordering::Relaxed);
            in_panic.restore_in_panic();
            report(panic);
        }));
        let (shown, watched) = (shared.clone(), shared.clone());
        screen.thread = Some(thread::spawn(move || show(&shown, terminal)));
        thread::spawn(move || watch(&watched));
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.shared.restore();
        // The thread sees that, and ends after its frame. If the terminal was closed, it reads an input without end instead:
        // it is left to the end of the process.
        let Some(thread) = self.thread.take() else { return };
        let started = Instant::now();
        while !thread.is_finished() && started.elapsed() < LAST_FRAME {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Stops the exploration if the terminal is closed. A signal says so only to some processes, and the thread that reads keys
/// never returns from there.
fn watch(shared: &Shared) {
    while !shared.is_restored() {
        if !stderr().is_terminal() {
            shared.stop.store(true, Ordering::Relaxed);
            return;
        }
        thread::sleep(WATCH);
    }
}

/// Draws frames and answers keys until the terminal is restored.
fn show(shared: &Shared, mut terminal: Terminal<CrosstermBackend<BufWriter<Stderr>>>) {
    let mut quit: Option<Instant> = None;
    loop {
        {
            let restored = locked(&shared.restored);
            if *restored {
                return;
            }
            let mut model = shared.model();
            if shared.stop.load(Ordering::Relaxed) {
                model.phase = Phase::Ending;
            }
            // A frame that cannot be drawn is no reason to stop.
            let _ = terminal.draw(|frame| draw(frame, &model));
        }
        let next = Instant::now() + FRAME;
        loop {
            let left = next.saturating_duration_since(Instant::now());
            if !event::poll(left).unwrap_or_else(|_| {
                thread::sleep(left);
                false
            }) || shared.is_restored()
            {
                break;
            }
            let Ok(Event::Key(key)) = event::read() else { break };
            if key.kind == KeyEventKind::Release {
                continue;
            }
            let mut model = shared.model();
            let requests = press(&mut model, key);
            if requests.contains(&Request::Quit) && quit.get_or_insert_with(Instant::now).elapsed() > AT_ONCE
            {
                shared.restore();
                std::process::exit(130);
            }
            shared.ask(requests, &mut model);
        }
    }
}
