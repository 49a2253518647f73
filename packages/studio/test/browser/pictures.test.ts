// Takes the screenshots for README.md and docs/studio.md, with the agent that `npm run studio` opens:
//
//   CAPSTAN_PICTURES=$PWD/docs/pictures npm test -- --project browser packages/studio/test/browser/pictures.test.ts

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { executablePath, openPage, picture, say, see } from './open-page.js'
import { openStudio } from './open-studio.js'
import { usePage } from './setup.js'

const agent = new URL('../../../../examples/1-start/studio/agent.ts', import.meta.url)

describe.skipIf(!executablePath)('the agent of the examples', () => {
  const { folder, browser } = usePage()

  test('draws, asks before it cancels, and shows what went over the wire', async () => {
    const studio = await openStudio(folder(), await readFile(agent, 'utf8'))
    const page = await openPage(browser(), studio.url, { viewport: { width: 1280, height: 720 } })
    await say(page, 'Look up the weather in Oslo and draw it, then cancel booking B-17.')
    await see(page.getByRole('heading', { name: 'cancel_booking needs your approval' }))
    await page.waitForFunction(() => [...document.images].every((one) => one.complete))
    await picture(page, 'studio')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await see(page.getByRole('status').getByText(/^done/))
    const { runs } = await studio.ask<{ runs: { id: string }[] }>('GET', '/api/runs')
    const run = runs[0]?.id ?? ''
    await page.goto(`${studio.origin}/runs/${run}`)
    await see(page.getByRole('row', { name: /cancel_booking/ }))
    for (const width of [1440, 1280]) {
      await page.setViewportSize({ width, height: 720 })
      expect(await titleLines(page)).toBe(1)
    }
    await page.getByRole('row', { name: /generate_image/ }).click()
    await page.getByRole('tab', { name: /^Result/ }).click()
    await see(page.locator('[role=tabpanel] img'))
    await picture(page, 'studio-run')
    await openWire(page, studio.origin, run)
    await picture(page, 'studio-wire')
    const { same } = await studio.ask<{ same: boolean }>('POST', `/api/runs/${run}/check`, {})
    expect(same).toBe(true)
  })
})

/** The number of lines that a run's title, state and facts take. */
function titleLines(page: Page): Promise<number> {
  return page.locator('.title-row, .title-row .facts').evaluateAll((rows) => {
    const middles = rows.flatMap((row) =>
      [...row.children].map((one) => {
        const { top, bottom } = one.getBoundingClientRect()
        return (top + bottom) / 2
      }),
    )
    return 1 + Math.floor((Math.max(...middles) - Math.min(...middles)) / 12)
  })
}

async function openWire(page: Page, origin: string, run: string): Promise<void> {
  await page.goto(`${origin}/runs/${run}/wire/1`)
  await see(page.getByRole('tab', { name: /^Response, raw/ }))
  await see(page.getByText('data: ').first())
}
