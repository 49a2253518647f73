import './style.css'

// Without the theme's fonts: those of the system are there at once.
export { default } from 'vitepress/theme-without-fonts'
