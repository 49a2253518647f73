// Without the theme's fonts: those of the system are there at once.
import Theme from 'vitepress/theme-without-fonts'
import './style.css'

export default Theme
