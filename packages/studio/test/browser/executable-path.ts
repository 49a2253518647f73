import { findChromium } from '../../../../scripts/find-chromium.mjs'

/** The path of this machine's Chromium: CHROME_PATH, otherwise the first one on the PATH. */
export const executablePath = findChromium(process.env)
