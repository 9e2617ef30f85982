import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  plugins: [react()],
  worker: { format: "es" },
  build: {
    outDir: "../src/holdfast/server/page",
    emptyOutDir: true,
    target: "es2022",
    // The page's Content-Security-Policy allows no `data:` scripts or styles.
    assetsInlineLimit: 0,
    rolldownOptions: { checks: { pluginTimings: false, bundlerTimings: false } },
    modulePreload: { polyfill: false },
  },
});
