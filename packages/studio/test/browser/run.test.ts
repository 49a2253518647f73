import { describe, expect, test } from 'vitest'
import { makePayer, makeSaver, payCode, savedCode } from '../../../code/test/shown-agent.js'
import { keepFullRun, keepLongRun } from './kept-runs.js'
import { axeFindings, executablePath, picture, say, see } from './open-page.js'
import { useBrowser } from './setup.js'
import { SmallStudio } from './small-studio.js'

describe.skipIf(!executablePath)('the screen of a run', () => {
  const open = useBrowser()
  const full = () => {
    const studio = new SmallStudio()
    keepFullRun(studio)
    return studio
  }

  test('has a row for everything that happened, in order', async () => {
    const { page } = await open(full(), { path: '/runs/full' })
    const grid = page.getByRole('treegrid', { name: 'Timeline' })
    await see(grid.getByRole('row', { name: /paint/ }))
    const rows = () =>
      grid
        .locator('.grid-body [role=row]')
        .evaluateAll((all) =>
          all.map((row) => `${row.getAttribute('aria-level')} ${row.querySelector('b')?.textContent}`),
        )
    await expect
      .poll(rows)
      .toEqual([
        '1 step 0',
        '2 request 0',
        '2 retry',
        '2 request 1',
        '2 get_weather',
        '2 repaired',
        '2 paint',
        '3 step 0',
        '1 step 1',
        '2 request 2',
        '2 get_weather',
        '2 stuck',
        '1 limit',
        '1 end',
      ])
    await see(page.locator('.screen-head').getByText('cost 0.0041'))
    await grid.getByRole('row', { name: /get_weather.*Oslo/ }).click()
    await see(page.getByRole('tabpanel').locator('.json-string', { hasText: 'Oslo' }))
    await page.getByRole('tab', { name: /Console/ }).click()
    await see(page.getByText('asking the weather office'))
    await expect.poll(() => page.url()).toContain('row=step0%2Fc0')
    await page.reload()
    await see(page.getByText('asking the weather office'))
    await picture(page, 'run')
  })

  test('shows a program as one step: its source, and its calls directly inside, also while one waits', async () => {
    const { page, studio, server } = await open(new SmallStudio(makePayer()))
    await say(page, 'Pay')
    await see(page.getByRole('button', { name: 'Approve' }))
    const [id] = [...studio.runs.keys()]
    const reader = await page.context().newPage()
    await reader.goto(`${server.origin}/runs/${id}?row=step0%2Fp`)
    const grid = reader.getByRole('treegrid', { name: 'Timeline' })
    const inside = reader.getByRole('list', { name: 'Calls of the program' }).getByRole('listitem')
    await see(inside.filter({ hasText: 'pay {"to":"ada","amount":12}' }).getByText('to from read_page'))
    const source = reader.getByRole('list', { name: 'Source of the program' }).getByRole('listitem')
    expect(await source.allTextContents()).toEqual(payCode.split('\n'))
    expect(await axeFindings(reader)).toEqual([])
    await picture(reader, 'program-waits')
    await page.getByRole('button', { name: 'Approve' }).click()
    await see(inside.filter({ hasText: 'pay' }).getByText('paid ada'))
    await see(grid.getByRole('row', { name: /The model has replied/ }))
    const rows = grid.locator('.grid-body [role=row]')
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => `${row.getAttribute('aria-level')} ${row.querySelector('b')?.textContent}`),
    )
    expect(shown.slice(0, 5)).toEqual(['1 step 0', '2 run_program', '3 read_page', '3 tainted', '3 pay'])
    await picture(reader, 'program')
  })

  test('shows a saved program with its parameters, its source and its calls', async () => {
    const { page, studio, server } = await open(new SmallStudio(await makeSaver()))
    await say(page, 'Go')
    await see(page.getByText('Three.'))
    const [id] = [...studio.runs.keys()]
    const reader = await page.context().newPage()
    await reader.goto(`${server.origin}/runs/${id}?row=step0%2Fs`)
    const source = reader.getByRole('list', { name: 'Source of the program' }).getByRole('listitem')
    await see(source.first())
    expect(await source.allTextContents()).toEqual(savedCode.split('\n'))
    const panel = reader.getByRole('tabpanel', { name: 'Program' })
    expect(await panel.textContent()).toContain('a: 7const args = {"a":7}')
    const inside = reader.getByRole('list', { name: 'Calls of the program' }).getByRole('listitem')
    expect(await inside.count()).toBe(3)
    const grid = reader.getByRole('treegrid', { name: 'Timeline' })
    const titles = await grid.locator('.grid-body [role=row] b').allTextContents()
    expect(titles.slice(0, 5)).toEqual(['step 0', 'add_twice', 'add', 'add', 'add'])
    expect(await axeFindings(reader)).toEqual([])
    await picture(reader, 'saved-program')
  })

  test('shows calls, problems, one tool, and rows with a text', async () => {
    const { page } = await open(full(), { path: '/runs/full' })
    const grid = page.getByRole('treegrid', { name: 'Timeline' })
    const count = () => grid.locator('.grid-body [role=row]').count()
    await see(grid.getByRole('row', { name: /paint/ }))
    await page.getByRole('button', { name: 'calls' }).click()
    await expect.poll(count).toBe(5)
    await page.getByRole('button', { name: 'problems' }).click()
    await see(grid.getByRole('row', { name: /repaired/ }))
    await expect.poll(() => grid.getByRole('row', { name: /paint/ }).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Calls to one tool' }).selectOption('paint')
    await expect.poll(count).toBe(2)
    await page.getByRole('combobox', { name: 'Calls to one tool' }).selectOption('')
    await page.getByRole('searchbox', { name: 'Find in the run' }).fill('atlantis')
    await expect.poll(count).toBe(2)
  })

  test('is read with the keyboard alone', async () => {
    const { page } = await open(full())
    await see(page.getByRole('link', { name: 'Runs' }))
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    const listed = page
      .getByRole('treegrid', { name: 'Runs' })
      .getByRole('row', { name: /Look up the weather/ })
    await see(listed)
    await listed.focus()
    await page.keyboard.press('Enter')
    const grid = page.getByRole('treegrid', { name: 'Timeline' })
    const first = grid.getByRole('row', { name: /step 0/ }).first()
    await see(first)
    await first.focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => first.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('request 0')
    await page.keyboard.press('Enter')
    await see(page.getByRole('heading', { name: 'Wire' }))
    await page.goBack()
    await see(first)
    await page.keyboard.press('/')
    await page.keyboard.type('atlantis')
    await expect.poll(() => grid.locator('.grid-body [role=row]').count()).toBe(2)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keys' }).focus()
    await page.keyboard.press('Enter')
    await see(page.getByRole('dialog', { name: 'Keys' }))
    await page.keyboard.press('Escape')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Keys')
  })

  test('of 10,000 events at most 120 rows are in the document', async () => {
    const studio = new SmallStudio()
    keepLongRun(studio, 10_000)
    const { page } = await open(studio, { path: '/runs/long' })
    const grid = page.getByRole('treegrid', { name: 'Timeline' })
    const rows = grid.locator('[role=row]')
    // Entries are loaded in pages, so the last row appears when all of them have been loaded.
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('3752')
    await see(grid.getByRole('row', { name: /step 0/ }).first())
    expect(await rows.count()).toBeLessThanOrEqual(120)
    await grid
      .getByRole('row', { name: /step 0/ })
      .first()
      .focus()
    await page.keyboard.press('End')
    await see(grid.getByRole('row', { name: /The model has replied/ }))
    expect(await rows.count()).toBeLessThanOrEqual(120)
    await expect.poll(() => page.locator('[role=row]:focus').getAttribute('aria-rowindex')).toBe('3752')
    await page.keyboard.press('Home')
    await expect.poll(() => page.locator('[role=row]:focus').getAttribute('aria-rowindex')).toBe('2')
    await page.getByRole('searchbox', { name: 'Find in the run' }).fill('"number":777')
    await expect.poll(() => rows.count()).toBe(4)
    await page.getByRole('searchbox', { name: 'Find in the run' }).fill('')
    await page.getByRole('button', { name: 'calls' }).click()
    await expect.poll(() => rows.count()).toBeGreaterThan(20)
    expect(await rows.count()).toBeLessThanOrEqual(120)
  })

  test.each([
    { name: 'dark', colorScheme: 'dark' as const },
    { name: 'forced-colours', forcedColors: 'active' as const },
    { name: 'narrow', viewport: { width: 320, height: 700 } },
    { name: 'zoomed', viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
  ])('every screen is usable: $name', async ({ name, ...options }) => {
    const { page, server } = await open(full(), options)
    const painting = page.getByRole('row', { name: /paint/ })
    const screens = {
      '/chat': page.getByRole('heading', { name: 'New chat' }),
      '/chat/full': page.getByText('no weather for "Atlantis"'),
      '/runs': page.getByRole('row', { name: /Look up the weather/ }),
      '/runs/full?row=step0%2Fc0': painting,
      '/runs/full/wire/1': page.locator('.pieces li'),
    }
    await page.goto(server.origin)
    for (const [path, sign] of Object.entries(screens)) {
      // This is what a link within the page does.
      await page.evaluate((to) => {
        history.pushState(undefined, '', to)
        dispatchEvent(new PopStateEvent('popstate'))
      }, path)
      await see(sign)
      const width = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      await expect.poll(width, { message: `${path} is too wide by so many px` }).toBe(0)
      expect([path, ...(await axeFindings(page))]).toEqual([path])
      await picture(page, `${name}${path.replace(/\W+/g, '-')}`)
    }
  })

  test('the theme is switched and kept', async () => {
    const { page } = await open(full(), { path: '/runs/full' })
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await ground()
    await page.getByRole('button', { name: 'Theme: system' }).click()
    await page.getByRole('button', { name: 'Theme: light' }).click()
    await expect.poll(ground).not.toBe(light)
    await page.reload()
    await see(page.getByRole('button', { name: 'Theme: dark' }))
    await expect.poll(ground).not.toBe(light)
  })
})
