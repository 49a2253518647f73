import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findChromium } from '../scripts/find-chromium.mjs'

test('a Chromium is found on the PATH where it is a program, and named by CHROME_PATH first', () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-chat-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'chromium')
  const PATH = `/nowhere${delimiter}${folder}`
  expect(findChromium({ PATH })).toBe(undefined)
  writeFileSync(file, '')
  chmodSync(file, 0o755)
  expect(findChromium({ PATH })).toBe(file)
  expect(findChromium({ PATH, CHROME_PATH: '/opt/chrome' })).toBe('/opt/chrome')
  expect(findChromium({})).toBe(undefined)
})
