import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  base: './',
  // One React for the game and for the hooks of savepoint/react, also where a package is linked to another folder.
  resolve: { dedupe: ['react', 'react-dom'] },
});
