import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { buildStudioPage } from '../../../../scripts/studio-page.mjs'
import { executablePath, openPage, say, see } from './open-page.js'
import { openStudio } from './open-studio.js'
import { usePage } from './setup.js'

const agent = new URL('../../../../examples/1-start/studio/agent.ts', import.meta.url)

describe.skipIf(!executablePath)('the page that `npm run studio` builds', () => {
  const { browser } = usePage()

  test('shows its first view, and the screens that it loads later', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'capstan-clone-page-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await buildStudioPage(folder)
    const studio = await openStudio(folder, await readFile(agent, 'utf8'))
    const page = await openPage(browser(), studio.url)
    await say(page, 'What is the weather in Oslo?')
    await see(page.getByRole('status').getByText(/^done/))
    await page.getByRole('link', { name: 'Tools' }).click()
    await see(page.getByRole('heading', { name: 'Tools' }))
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(ground).not.toBe('rgba(0, 0, 0, 0)')
    expect((await page.request.get(`${studio.origin}/icon.svg`)).status()).toBe(200)
  })
})
