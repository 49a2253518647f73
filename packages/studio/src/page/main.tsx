import { render } from 'preact'
import { startState } from './api/state.js'
import { startKeys } from './shell/keys.js'
import { startRouting } from './shell/route.js'
import { Shell } from './shell/shell.js'
import { startTheme } from './shell/theme.js'

startTheme()
startRouting()
startKeys()
startState()
const root = document.getElementById('app')
if (root) render(<Shell />, root)
performance.mark('studio:ready')
