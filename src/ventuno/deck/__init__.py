"""Our own deck for a print shop: the faces and back of the pages, with codes that scanners and cameras read.

`art.json` is drawn by the client (`npm run art`), `letters.json` by its font: nothing here is drawn a second time.
"""
