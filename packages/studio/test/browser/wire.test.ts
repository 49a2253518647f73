import { describe, expect, test } from 'vitest'
import { keepFullRun, pieces, request } from './kept-runs.js'
import { executablePath, picture, see } from './open-page.js'
import { useBrowser } from './setup.js'
import { SmallStudio } from './small-studio.js'

describe.skipIf(!executablePath)('the wire', () => {
  const open = useBrowser()
  const opened = (path: string) => {
    const studio = new SmallStudio()
    keepFullRun(studio)
    return open(studio, { path, permissions: ['clipboard-read', 'clipboard-write'] })
  }

  test('shows the request byte for byte, and the answer in the pieces in which it came', async () => {
    const { page } = await opened('/runs/full/wire/1')
    await page.getByRole('button', { name: 'as sent' }).click()
    await expect.poll(() => page.locator('pre.bytes').textContent()).toBe(request(1))
    const shown = () =>
      page.locator('.pieces li code').evaluateAll((all) => all.map((one) => one.firstChild?.textContent))
    await expect.poll(shown).toEqual(pieces.map((piece) => piece.trimEnd()))
    await see(page.locator('.pieces li').nth(1).getByText('48 ms'))
    await see(page.locator('.facts').getByText('3 pieces'))
    await picture(page, 'wire')
  })

  test('a note marks the piece that it is about', async () => {
    const { page } = await opened('/runs/full/wire/1')
    const notes = page.getByRole('region', { name: 'Notes' })
    await see(
      notes.getByText('the name contained additional characters; without them, it is the name of a tool'),
    )
    await notes.getByRole('button', { name: /name-cleaned/ }).click()
    await see(page.locator('.pieces li.marked').getByText('functions.get_weather'))
    await notes.getByRole('button', { name: /calls-despite-reason/ }).click()
    await see(page.locator('.pieces li.marked').getByText('finish_reason'))
  })

  test('shows what changed since the request before', async () => {
    const { page } = await opened('/runs/full/wire/2')
    await page.getByRole('tab', { name: 'Changed since exchange 1' }).click()
    await expect.poll(() => page.locator('.change').count()).toBe(2)
    await see(page.locator('.change-added .json-string', { hasText: 'message 2' }))
    await page.getByRole('combobox', { name: 'Exchange' }).selectOption('1')
    await see(page.getByText('Nothing has changed: the two requests are identical.'))
  })

  test('a request is copied as a command that names the key and does not have it', async () => {
    const { page } = await opened('/runs/full/wire/1')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await see(page.getByText('Copied.'))
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain('-H "authorization: Bearer $OPENAI_API_KEY"')
    expect(copied).toContain(`--data-raw '${request(1)}'`)
    expect(copied).not.toContain('[redacted]')
  })
})
