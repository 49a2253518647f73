import { open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { executablePath, openPage, say, see } from './open-page.js'
import { openStudio, until } from './open-studio.js'
import { agentSource } from './screens-agent.js'
import { usePage } from './setup.js'

/** The console error of an open page whose studio has ended. */
const ofEnd = /Failed to load resource|ERR_/

describe.skipIf(!executablePath)('a studio that is started again', () => {
  const { folder, browser } = usePage()

  test('goes on with a chat, its picture, and the call that waits', async () => {
    const first = await openStudio(folder(), agentSource)
    const before = await openPage(browser(), first.url, { expected: ofEnd })
    await say(before, 'call draw {"prompt":"a boat"}; call pay {"amount":3,"note":null}')
    await see(before.getByRole('heading', { name: 'pay needs your approval' }))
    const { pathname } = new URL(before.url())
    // A studio that is closed stops its runs, and this run may not have ended yet when the page requests it.
    await until(async () => {
      const { runs } = await first.ask<{ runs: readonly { status: string }[] }>('GET', '/api/runs')
      return runs.every(({ status }) => status !== 'running')
    })

    const studio = await first.startAgain()
    const page = await openPage(browser(), studio.url)
    await page.goto(studio.origin + pathname)
    await see(page.locator('.message.user', { hasText: 'call draw' }))
    await see(page.locator('.message.agent').getByRole('img'))
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await see(page.locator('.message.agent .words', { hasText: '"paid":3' }))
    await say(page, 'What was that?')
    await see(page.locator('.message.agent .words', { hasText: 'I read: What was that?' }))
    expect(await page.locator('.message.user').count()).toBe(2)
  })

  slowTest('takes a file of 100 MB as bytes, and a larger one not at all', async () => {
    const first = await openStudio(folder(), agentSource)
    const sizes = [100_000_000, 100_000_001]
    const paths = sizes.map((size) => join(first.folder, `${size}.wav`))
    for (const [at, path] of paths.entries()) {
      const file = await openFile(path, 'w')
      await file.truncate(sizes[at])
      await file.close()
    }
    const before = await openPage(browser(), first.url, { expected: ofEnd })
    await before.locator('input[type=file]').setInputFiles(paths)
    const files = before.getByRole('list', { name: 'Attachments' }).getByRole('listitem')
    await see(files.filter({ hasText: 'at most' }))
    await see(files.filter({ hasText: '100000000.wav' }).locator('audio'))

    const studio = await first.startAgain()
    const { artifacts } = await studio.ask<{ artifacts: readonly { size: number }[] }>(
      'GET',
      '/api/artifacts',
    )
    expect(artifacts.map(({ size }) => size)).toEqual([100_000_000])
  })
})
