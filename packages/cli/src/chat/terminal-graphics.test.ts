import { expect, test } from 'vitest'
import { betterGraphics, canQuery, graphicsIn, graphicsOf, renderPicture } from './terminal-graphics.js'

test.each([
  [{ TERM: 'xterm-kitty' }, 'kitty'],
  [{ TERM: 'xterm-ghostty' }, 'kitty'],
  [{ TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, 'kitty'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, 'iterm2'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }, 'iterm2'],
  [{ TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2' }, 'iterm2'],
  [{ TERM: 'xterm-256color' }, undefined],
  [{ TERM: 'screen-256color', TERM_PROGRAM: 'iTerm.app' }, undefined],
  [{ TERM: 'xterm-kitty', TMUX: '/tmp/tmux' }, undefined],
  [{ TERM: 'dumb', KITTY_WINDOW_ID: '1' }, undefined],
  [{ KITTY_WINDOW_ID: '1' }, undefined],
])('the environment %j names %s', (environment, graphics) => {
  expect(graphicsOf(environment)).toBe(graphics)
})

test.each([
  [{ TERM: 'xterm' }, true],
  [{ TERM: 'linux' }, false],
  [{ TERM: 'dumb' }, false],
  [{ TERM: 'tmux-256color' }, false],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, false],
  [{}, false],
])('whether %j can be queried is %s', (environment, can) => {
  expect(canQuery(environment)).toBe(can)
})

// The replies of xterm, Kitty, foot and VTE.
test.each([
  ['\x1b_Gi=31;OK\x1b\\', 'kitty'],
  ['\x1b_Gi=31;EINVAL:no\x1b\\', undefined],
  ['\x1b_Gi=7;OK\x1b\\', undefined],
  ['\x1b[?64;1;2;4;6;9;15;18;21;22c', 'sixel'],
  ['\x1b[?62;4;22;28c', 'sixel'],
  ['\x1b[?62;c', undefined],
  ['\x1b[?65;1;9c', undefined],
  ['\x1b[?4c', undefined],
  ['\x1b[?62;4u', undefined],
])('the answer %j names %s', (reply, graphics) => {
  expect(graphicsIn(reply)).toBe(graphics)
})

test('prefers any other protocol to sixels', () => {
  expect(betterGraphics(undefined, 'sixel')).toBe('sixel')
  expect(betterGraphics('kitty', 'sixel')).toBe('kitty')
  expect(betterGraphics('sixel', 'kitty')).toBe('kitty')
  expect(betterGraphics('iterm2', undefined)).toBe('iterm2')
})

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(9000, 7)])
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0])
const size = { columns: 81, rows: 27 }

test('sends a large file to Kitty in parts', () => {
  const sent = renderPicture(
    png,
    { mediaType: 'image/png', width: 640, height: 320 },
    { graphics: 'kitty', ...size },
  )
  const parts = (sent ?? '').split('\x1b\\').slice(0, -1)
  expect(parts.map((part) => part.split(';')[0])).toEqual([
    '\x1b_Ga=T,f=100,q=2,c=80,r=20,m=1',
    '\x1b_Gm=1',
    '\x1b_Gm=0',
  ])
  const data = parts.map((part) => part.split(';')[1] ?? '')
  expect(Math.max(...data.map((one) => one.length))).toBeLessThanOrEqual(4096)
  expect(Buffer.from(data.join(''), 'base64').equals(png)).toBe(true)
})

test.each([
  [{ width: 1, height: 1 }, 'c=1,r=1,'],
  [{ width: 6400, height: 3200 }, 'c=80,r=20,'],
  [{ width: 100, height: 10_000 }, 'c=1,r=24,'],
  [{}, 'c=40,r=20,'],
])('fits a picture of %j into the terminal', (dimensions, cells) => {
  const sent = renderPicture(png, { mediaType: 'image/png', ...dimensions }, { graphics: 'kitty', ...size })
  expect(sent).toContain(cells)
})

test('shows no picture in a format that the protocol does not know', () => {
  const of = (mediaType: string) => ({ mediaType, width: 8, height: 8 })
  expect(renderPicture(jpeg, of('image/jpeg'), { graphics: 'kitty', ...size })).toBeUndefined()
  // The tool's media type can be wrong, so the bytes decide.
  expect(renderPicture(jpeg, of('image/png'), { graphics: 'kitty', ...size })).toBeUndefined()
  expect(renderPicture(jpeg, of('image/jpeg'), { graphics: 'sixel', ...size })).toBeUndefined()
  expect(renderPicture(png, of('image/png'), { graphics: 'sixel', ...size })).toBeUndefined()
  expect(renderPicture(jpeg, of('image/svg+xml'), { graphics: 'iterm2', ...size })).toBeUndefined()
  expect(renderPicture(jpeg, of('image/jpeg'), { graphics: 'iterm2', ...size })).toBe(
    `\x1b]1337;File=inline=1;size=4;width=1;height=1;preserveAspectRatio=1:${jpeg.toString('base64')}\x07`,
  )
})
