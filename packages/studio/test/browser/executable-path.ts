import { findChromium } from '../../../../scripts/find-chromium.mjs'

/** The Chromium of this machine: of CHROME_PATH, else on the PATH. */
export const executablePath = findChromium(process.env)
