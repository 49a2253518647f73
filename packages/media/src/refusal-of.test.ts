import { expect, test } from 'vitest'
import { refusalOf } from './refusal-of.js'

const own = 'http://127.0.0.1:4100/v1'
const publicly = async () => ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946']

test("the service's own origin is allowed, whatever it is", async () => {
  expect(await refusalOf(new URL('http://127.0.0.1:4100/files/a.png'), own)).toBeUndefined()
})

test('a public host is allowed by https', async () => {
  expect(await refusalOf(new URL('https://cdn.example.com/a.png?sig=1'), own, publicly)).toBeUndefined()
})

test('where names cannot be looked up, a name is allowed and a number is not', async () => {
  const unable = () => undefined
  expect(await refusalOf(new URL('https://cdn.example.com/a.png'), own, unable)).toBeUndefined()
  expect(await refusalOf(new URL('https://10.0.0.1/a.png'), own, unable)).toContain('no public host')
})

test.each([
  'http://cdn.example.com/a.png',
  'ftp://cdn.example.com/a.png',
  'file:///etc/passwd',
  'http://127.0.0.1:4101/a.png',
  'https://127.0.0.1/a.png',
  'https://0x7f.1/a.png',
  'https://2130706433/a.png',
  'https://[::1]/a.png',
  'https://[::ffff:10.0.0.1]/a.png',
  'https://169.254.169.254/latest/meta-data',
  'https://localhost/a.png',
  'https://localhost./a.png',
  'https://printer.local/a.png',
  'https://metadata.google.internal/a.png',
  'https://user:secret@cdn.example.com/a.png',
])('%s is refused', async (address) => {
  expect(await refusalOf(new URL(address), own)).toMatch(/refused|no public host|with a user name/)
})

test('a name is refused when any of its addresses is private, and when it has none', async () => {
  const url = new URL('https://rebind.example.com/a.png')
  expect(await refusalOf(url, own, async () => ['93.184.216.34', '10.0.0.7'])).toContain(
    'rebind.example.com is no public host',
  )
  expect(await refusalOf(url, own, async () => [])).toContain('no public host')
})

test('a refusal never repeats what an address signs or hides', async () => {
  const refusal = await refusalOf(new URL('http://user:secret@cdn.example.com/a.png?sig=secret'), own)
  expect(refusal).not.toContain('secret')
})
