//! The moving picture of the README, as small as it can be.

use super::{Browser, drag, page, seen};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gif::{Encoder, Frame, Repeat};
use serde_json::json;

/// `[units: bytes]` It must load at once.
const MOST: usize = 300_000;
/// The scale of the page's pixels.
const SCALE: f64 = 0.6;

struct Film {
    size: [usize; 2],
    /// Frame by frame, three bytes a pixel.
    pixels: Vec<u8>,
    /// `[units: 1/100 s]` How long each frame stays.
    delays: Vec<u16>,
}

impl Film {
    /// Takes a picture of the canvas.
    fn shoot(&mut self, browser: &mut Browser, delay: u16) {
        let corner = browser.evaluate(
            "(() => { namiji.show(); const r = namiji.canvas.getBoundingClientRect(); \
             return [r.left, r.top, r.width, r.height]; })()",
        );
        let [x, y, width, height] = [0, 1, 2, 3].map(|i| corner[i].as_f64().unwrap());
        // Of a wide map the middle is enough.
        let (top, tall) = (y + 0.14 * height, 0.74 * height);
        let clip = json!({"x": x, "y": top, "width": width, "height": tall, "scale": SCALE});
        let shot = browser.call("Page.captureScreenshot", &json!({"format": "png", "clip": clip}));
        let bytes = STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut raw = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut raw).unwrap();
        let channels = info.color_type.samples();
        self.size = [info.width as usize, info.height as usize];
        let colours = raw.chunks_exact(channels).flat_map(|pixel| pixel[..3].to_vec());
        self.pixels.extend(colours);
        self.delays.push(delay);
    }

    /// With one palette, and of each frame only the box in which something has changed.
    fn write(&self) -> Vec<u8> {
        let [width, height] = self.size;
        let whole = Frame::from_rgb_speed(
            width as u16,
            (height * self.delays.len()) as u16,
            &self.pixels,
            10,
        );
        let palette = whole.palette.clone().unwrap();
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, width as u16, height as u16, &palette).unwrap();
        encoder.set_repeat(Repeat::Infinite).unwrap();
        let mut before: Option<&[u8]> = None;
        for (now, &delay) in whole.buffer.chunks_exact(width * height).zip(&self.delays) {
            let is_new = |i: usize| before.is_none_or(|before| before[i] != now[i]);
            let changed: Vec<usize> = (0..now.len()).filter(|&i| is_new(i)).collect();
            let xs = || changed.iter().map(|i| i % width);
            let [left, right] = [xs().min().unwrap_or(0), xs().max().unwrap_or(0)];
            let [top, bottom] =
                [changed.first(), changed.last()].map(|i| i.map_or(0, |i| i / width));
            let rows = (top..=bottom).flat_map(|y| &now[y * width + left..=y * width + right]);
            encoder
                .write_frame(&Frame {
                    delay,
                    left: left as u16,
                    top: top as u16,
                    width: (right - left + 1) as u16,
                    height: (bottom - top + 1) as u16,
                    buffer: rows.copied().collect::<Vec<_>>().into(),
                    ..Frame::default()
                })
                .unwrap();
            before = Some(now);
        }
        drop(encoder);
        bytes
    }
}

/// `PLAYGROUND_GIF=docs/pictures/playground.gif` writes it there.
#[test]
#[ignore = "makes a picture; not a test of anything that others do not test"]
fn the_moving_picture_of_the_readme() {
    let Some(mut browser) = page() else { return };
    let browser = &mut browser;
    let mut film = Film { size: [0; 2], pixels: Vec::new(), delays: Vec::new() };
    browser.evaluate("namiji.load('rooms')");
    for layer in ["danger", "fill", "z", "jumps"] {
        browser.evaluate(&format!("namiji.toggle('{layer}', false)"));
    }
    let mut go = |browser: &mut Browser, times: usize, frames: usize| {
        for _ in 0..times {
            browser.evaluate(&format!("namiji.step({frames})"));
            film.shoot(browser, 12);
        }
    };
    // They come; the target is dragged away, and a wall is built in front of it.
    go(browser, 8, 12);
    for to in [[60.0, 15.0], [44.0, 17.0], [28.0, 17.0], [16.0, 20.0], [6.0, 27.0]] {
        browser.evaluate(&format!("namiji.drag(0, {}, {})", to[0], to[1]));
        go(browser, 1, 4);
    }
    go(browser, 4, 8);
    drag(browser, "wall", &[[5.0, 22.0], [8.0, 22.0], [11.0, 22.0]]);
    go(browser, 6, 8);
    // The level tools: a trap is dug.
    browser.evaluate("document.getElementById('mode').click()");
    browser.evaluate("document.querySelector('#found [data-kind=\"one way\"]').open = true");
    film.shoot(browser, 60);
    browser.evaluate("document.querySelector('[data-level=lower]').click()");
    browser.evaluate("document.getElementById('amount').value = 2.5");
    for (i, x) in [25.0, 26.0, 27.0, 28.0, 29.0].into_iter().enumerate() {
        let at = seen(browser, [x, 15.0]);
        super::mouse(browser, if i == 0 { "mousePressed" } else { "mouseMoved" }, at);
        browser.evaluate("new Promise((done) => setTimeout(done, 100))");
        film.shoot(browser, 15);
    }
    let end = seen(browser, [29.0, 15.0]);
    super::mouse(browser, "mouseReleased", end);
    film.shoot(browser, 100);
    // And a jump from which no way leads back.
    browser.evaluate(
        "[...document.querySelectorAll('#found [data-kind=\"one way\"] button')]\
         .find((button) => button.textContent.startsWith('a jump')).click()",
    );
    film.shoot(browser, 200);
    let gif = film.write();
    println!("{} bytes, {} frames of {:?}", gif.len(), film.delays.len(), film.size);
    assert!(gif.len() < MOST);
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
    if let Some(file) = std::env::var_os("PLAYGROUND_GIF") {
        std::fs::write(file, gif).unwrap();
    }
}
