import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { isLong } from '../../../../scripts/cases.mjs'
import { formCases } from '../fixtures/form-schemas.js'
import { executablePath, openPage, picture, see } from './open-page.js'
import { type OpenStudio, openStudio } from './open-studio.js'
import { agentSource, formsSource } from './screens-agent.js'
import { usePage } from './setup.js'

describe.skipIf(!executablePath)('screens', () => {
  const { folder, browser } = usePage()

  async function open(source = agentSource, options: Parameters<typeof openPage>[2] = {}) {
    const studio = await openStudio(folder(), source)
    const page = await openPage(browser(), studio.url, options)
    return { studio, page }
  }

  test('a tool is called alone: result, console, error, arguments that do not fit, stop', async () => {
    const { page } = await open()
    await goTo(page, 'Tools')
    await page.getByRole('link', { name: /^get_weather/ }).click()
    await page.getByRole('textbox', { name: 'city' }).fill('Oslo')
    await picture(page, 'tools')
    const result = page.getByRole('region', { name: 'Result' })
    await page.getByRole('button', { name: 'Call it' }).click()
    await see(result.getByText('ok'))
    await see(result.getByText('asked for Oslo'))
    await see(result.locator('.json-key', { hasText: 'degrees' }))
    await page.getByRole('textbox', { name: 'city' }).fill('Atlantis')
    await page.getByRole('button', { name: 'Call it' }).click()
    await see(result.getByText(/There is no Atlantis/))
    await page.getByRole('tab', { name: 'JSON' }).click()
    await page.getByRole('textbox', { name: 'Arguments as JSON' }).fill('{"city": 5}')
    await page.getByRole('button', { name: 'Call it' }).click()
    await see(result.getByText('invalid arguments'))
    await page.getByRole('tab', { name: 'Form' }).click()
    await see(page.locator('.form-problem', { hasText: 'expected string' }))
    await page.getByRole('link', { name: /^wait/ }).click()
    await page.getByRole('button', { name: 'Call it' }).click()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  })

  test('an artifact of a call alone is shown, with what it was made from', async () => {
    const { page } = await open()
    await goTo(page, 'Tools')
    await page.getByRole('link', { name: /^draw/ }).click()
    await page.getByRole('textbox', { name: 'prompt' }).fill('a red balloon')
    await page.getByRole('button', { name: 'Call it' }).click()
    await see(page.getByRole('region', { name: 'Result' }).locator('img'))
    const id = String(await page.locator('figure code').first().textContent())
    // The first image is chosen in the dialog, then edited.
    await page.locator('label', { hasText: 'value' }).last().click()
    await page.getByRole('button', { name: /^Choose an artifact id for image/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: new RegExp(id) })
      .click()
    await page.getByRole('textbox', { name: 'prompt' }).fill('a blue balloon')
    await page.getByRole('button', { name: 'Call it' }).click()
    await see(page.getByRole('region', { name: 'Result' }).locator('figure code').filter({ hasNotText: id }))
    await goTo(page, 'Artifacts')
    await page.getByRole('button', { name: /a blue balloon/ }).click()
    const detail = page.getByRole('region', { name: /^Artifact img_/ })
    await see(detail.getByRole('button', { name: id }))
    await expect.poll(() => detail.locator('img').getAttribute('width')).toBe('1')
    await picture(page, 'artifacts')
    await page.getByRole('button', { name: 'Lineage' }).click()
    await see(page.locator('.graph-node.is-selected'))
    await see(page.locator('.lineage-list li', { hasText: 'level 2' }))
    await expect.poll(() => page.locator('.lineage-list li').count()).toBe(2)
    await picture(page, 'lineage')
  })

  test('findings stand at their fields, and are gone after the file is corrected', async () => {
    const { studio, page } = await open()
    await goTo(page, 'Tools')
    await page.getByRole('link', { name: /^get_weather/ }).click()
    const finding = page.locator('.form-field', { hasText: 'day' }).locator('.form-finding')
    await see(finding)
    await studio.edit((source) =>
      source.replace(
        'day: z.string().optional()',
        "day: z.string().optional().describe('The date, as 2026-12-31')",
      ),
    )
    await studio.loaded(2)
    await finding.waitFor({ state: 'detached' })
  })

  test('runs are found by text, by tool and by state; pinned; removed', async () => {
    const { studio, page } = await open()
    await studio.run({ agent: 'helper', input: 'call get_weather {"city":"Oslo"}' })
    await studio.run({ agent: 'helper', input: 'call pay {"amount":3,"note":null}' })
    await studio.run({ agent: 'helper', input: 'Good morning' })
    await goTo(page, 'Runs')
    const rows = page.getByRole('treegrid', { name: 'Runs' }).locator('.grid-body [role=row]')
    await expect.poll(() => rows.count()).toBe(3)
    await picture(page, 'runs')
    const only = async (title: string) => {
      await expect.poll(() => rows.count()).toBe(1)
      await see(rows.filter({ hasText: title }))
    }
    await page.getByRole('searchbox', { name: 'Find runs by text' }).fill('morning')
    await only('Good morning')
    await page.getByRole('searchbox', { name: 'Find runs by text' }).fill('')
    await page.getByRole('searchbox', { name: 'Runs that called a tool' }).fill('get_weather')
    await only('call get_weather')
    await page.getByRole('searchbox', { name: 'Runs that called a tool' }).fill('')
    await page.getByRole('combobox', { name: 'State of the runs' }).selectOption('pending')
    await only('call pay')
    await page.getByRole('combobox', { name: 'State of the runs' }).selectOption('')
    await expect.poll(() => rows.count()).toBe(3)
    await rows.filter({ hasText: 'morning' }).click()
    await page.getByRole('button', { name: 'Pin' }).click()
    await see(page.getByRole('button', { name: 'Pinned' }))
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => rows.count()).toBe(2)
    const { runs } = await studio.ask<{ runs: unknown[] }>('GET', '/api/runs')
    expect(runs).toHaveLength(2)
  })

  test('a run is compared with its repetition after a change of instructions', async () => {
    const { studio, page } = await open()
    const a = await studio.run({ agent: 'helper', input: 'call get_weather {"city":"Oslo"}' })
    await studio.edit((source) => source.replace('Be brief.', 'Be kind.'))
    await studio.loaded(2)
    const b = await studio.run({ agent: 'helper', input: 'call get_weather {"city":"Oslo"}' })
    await goTo(page, 'Runs')
    await see(page.getByRole('row').nth(2))
    for (const place of [1, 0]) {
      const row = page.locator('.grid-body [role=row]').nth(place)
      await row.click()
      await expect.poll(() => row.getAttribute('aria-selected')).toBe('true')
      await page.keyboard.press('c')
    }
    await see(page.getByRole('heading', { name: 'Compare' }))
    expect(new URL(page.url()).searchParams.get('a')).toBe(a)
    expect(new URL(page.url()).searchParams.get('b')).toBe(b)
    await see(page.getByText('step 0, different instructions'))
    await picture(page, 'compare')
  })

  test('a fork with a changed tool result goes on from there, and is compared with its run', async () => {
    const { studio, page } = await open()
    const run = await studio.run({
      agent: 'helper',
      input: 'call get_weather {"city":"Oslo"}; call pay {"amount":3,"note":null}',
    })
    await page.goto(`${studio.origin}/runs/${run}/fork`)
    await page.getByRole('radio', { name: 'a tool result' }).check()
    await page.getByRole('textbox', { name: 'Replacement' }).fill('{"city":"Oslo","degrees":31}')
    await picture(page, 'fork')
    await page.getByRole('button', { name: 'Fork' }).click()
    await see(page.getByRole('heading', { name: 'Compare' }))
    // The call that can change data is pending, as in the first run.
    await see(page.getByText('pending', { exact: false }).last())
    const { runs } = await studio.ask<{ runs: { id: string; fork?: { run: string } }[] }>('GET', '/api/runs')
    expect(runs.filter(({ fork }) => fork?.run === run)).toHaveLength(1)
  })

  test('a run is checked against its recording: the same, then the first difference', async () => {
    const { studio, page } = await open()
    const run = await studio.run({ agent: 'helper', input: 'call get_weather {"city":"Oslo"}' })
    await page.goto(`${studio.origin}/runs/${run}`)
    await page.getByRole('button', { name: 'Check' }).click()
    await see(page.getByRole('dialog').getByText('Same'))
    await page.getByRole('button', { name: 'Close' }).click()
    await studio.edit((source) => source.replace('Current weather', 'The weather'))
    await studio.loaded(2)
    await page.getByRole('button', { name: 'Check' }).click()
    await see(page.getByRole('dialog').getByText(/✗/))
    await picture(page, 'check')
  })

  test('a run that another studio kept asks before it is checked', async () => {
    const { studio, page } = await open(agentSource, { expected: /409/ })
    const run = await studio.run({ agent: 'helper', input: 'call get_weather {"city":"Oslo"}' })
    const file = join(studio.folder, 'data', 'runs', run, 'run.json')
    const { origin: _, ...foreign } = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify(foreign))
    await page.goto(`${studio.origin}/runs/${run}`)
    await page.getByRole('button', { name: 'Check' }).click()
    const question = page.getByRole('dialog', { name: 'This run came from elsewhere' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await see(page.getByRole('dialog').getByText(/A different studio recorded the run/))
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Check' }).click()
    await question.getByRole('button', { name: 'Allow this run' }).click()
    await see(page.getByRole('dialog').getByText('Same'))
  })

  test('a run is exported as a test, which is not replaced by itself', async () => {
    const { studio, page } = await open(agentSource, { expected: /409/ })
    const run = await studio.run({ agent: 'helper', input: 'call get_weather {"city":"Oslo"}' })
    await page.goto(`${studio.origin}/runs/${run}`)
    await page.getByRole('button', { name: 'Export as test' }).click()
    const dialog = page.getByRole('dialog')
    await see(dialog.getByText('replayRun'))
    await picture(page, 'export')
    await dialog.getByRole('textbox', { name: 'File' }).fill(join(studio.folder, 'oslo.test.ts'))
    await dialog.getByRole('button', { name: 'Write the test' }).click()
    await see(dialog.getByText(/Wrote/))
    expect(readFileSync(join(studio.folder, 'oslo.test.ts'), 'utf8')).toContain('replayRun')
    expect(existsSync(join(studio.folder, 'oslo.recording.jsonl'))).toBe(true)
    await dialog.getByRole('button', { name: 'Write the test' }).click()
    await see(dialog.getByRole('button', { name: 'Replace the files' }))
  })

  test('the inbox: approve changed, deny, give a result', async () => {
    const { studio, page } = await open(agentSource, { expected: /409|422|400/ })
    await studio.run({ agent: 'helper', input: 'call pay {"amount":3,"note":null}' })
    await studio.run({ agent: 'helper', input: 'call ask_user {"question":"Which colour?"}' })
    await goTo(page, 'Inbox')
    await see(page.getByText('2 pending calls'))
    const paying = page.getByRole('region', { name: 'pay needs your approval' })
    await picture(page, 'inbox')
    await paying.getByRole('textbox', { name: 'amount' }).fill('4')
    await paying.getByRole('button', { name: 'Approve with changes' }).click()
    await paying.waitFor({ state: 'detached' })
    const asking = page.getByRole('region', { name: 'ask_user needs a result' })
    await asking.getByRole('textbox').fill('"blue"')
    await asking.getByRole('button', { name: 'Send the result' }).click()
    await see(page.getByText('No pending calls.'))
    await expect
      .poll(() => answersOf(studio))
      .toEqual(
        expect.arrayContaining([expect.stringContaining('paid\\":4'), expect.stringContaining('blue')]),
      )
  })

  test('each of the schemas has a form, and its JSON is the value of the form', async () => {
    const { studio, page } = await open(formsSource)
    await page.goto(`${studio.origin}/tools`)
    const links = page.getByRole('navigation', { name: 'Tools' }).getByRole('link')
    for (const [at, { name, schema, values, empty }] of formCases.entries()) {
      if (schema.type !== 'object') continue
      await links.filter({ has: page.getByText(`form_${at}`, { exact: true }) }).click()
      await see(page.getByRole('heading', { name: `form_${at}` }))
      const json = page.getByRole('textbox', { name: 'Arguments as JSON' })
      for (const value of isLong ? [empty, ...values] : [empty, ...values.slice(-1)]) {
        await page.getByRole('tab', { name: 'JSON' }).click()
        await json.fill(JSON.stringify(value))
        await page.getByRole('tab', { name: 'Form' }).click()
        await see(page.locator('.form'))
        if (value !== empty)
          await expect
            .poll(() => page.getByRole('button', { name: 'Start over' }).count(), { message: name })
            .toBe(0)
        await page.getByRole('tab', { name: 'JSON' }).click()
        await expect.poll(async () => JSON.parse(await json.inputValue()), { message: name }).toEqual(value)
      }
    }
  })

  test('the agent', async () => {
    const { page } = await open()
    await goTo(page, 'Agent')
    await see(page.getByText('Be brief.'))
    await see(page.getByRole('link', { name: 'get_weather' }))
    await picture(page, 'agent')
  })
})

async function goTo(page: Page, place: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: place }).click()
}

/** Returns the last message of each run. */
async function answersOf(studio: OpenStudio): Promise<readonly string[]> {
  const { runs } = await studio.ask<{ runs: { id: string }[] }>('GET', '/api/runs')
  return Promise.all(runs.map(({ id }) => studio.text(`/api/runs/${id}/entries`)))
}
