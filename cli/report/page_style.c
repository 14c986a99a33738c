/* SPDX-License-Identifier: MIT
 *
 * page_style.c - the style sheet: light and dark schemes, wide and narrow screens, printing.
 *
 * The colours of figures are variables too (palette.c). Nothing is wider than a narrow screen: figures shrink, the table
 * of runs becomes a list; other tables scroll separately.
 */
#include "report/page.h"
#include "report/palette.h"

static const char rules[] =
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe "
    "UI',Roboto,"
    "'DejaVu Sans',sans-serif;overflow-wrap:anywhere}\n"
    "main,footer{max-width:1280px;margin:0 auto;padding:0 20px}\n"
    "h1{font-size:1.7rem;line-height:1.25;margin:1.4rem 0 .6rem}\n"
    "h2{font-size:1.3rem;margin:2.2rem 0 .8rem;padding-top:.7rem;border-top:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:0 0 .4rem}\n"
    "a{color:var(--link)}\n"
    ".live{display:inline-block;margin:0 0 .5rem;padding:.15rem .7rem;border-radius:1rem;background:var(--mark)}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin:0 0 "
    "1rem;padding:0;"
    "list-style:none}\n"
    ".tiles li{background:var(--tile);border-radius:8px;padding:.6rem .8rem}\n"
    ".tiles b{display:block;font-size:1.45rem;line-height:1.25;font-variant-numeric:tabular-nums}\n"
    ".tiles span,figcaption,.caption,footer,small{color:var(--pale);font-size:.875rem}\n"
    ".scroll{overflow-x:auto;max-width:100%}\n"
    "table{border-collapse:collapse;font-size:.9rem;overflow-wrap:normal}\n"
    "th,td{padding:.3rem .7rem;border-bottom:1px solid "
    "var(--line);text-align:left;vertical-align:top;max-width:28rem}\n"
    "th{font-weight:600}\n"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    "tr.differs td{background:var(--mark)}\n"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,440px),1fr));gap:26px "
    "24px;margin-bottom:26px}\n"
    "figure{margin:0;min-width:0}\n"
    "figure.wide{grid-column:1/-1}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:8px}\n"
    ".card svg{display:block;width:100%;height:auto;max-width:560px;margin:0 auto;color:var(--ink)}\n"
    ".card.wide svg{max-width:820px}\n"
    "figcaption,.caption{margin:.45rem 0 0}\n"
    ".files{white-space:nowrap}\n"
    ".finding{margin:0 0 .4rem}\n"
    ".summary{margin:0 0 .8rem;color:var(--pale)}\n"
    ".facts{width:100%}.facts "
    "tbody{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,290px),1fr));"
    "column-gap:32px}.facts tr{display:flex;justify-content:space-between;gap:12px;border-bottom:1px solid "
    "var(--line)}.facts th,.facts td{border:0;padding:.2rem 0}.facts th{white-space:nowrap}.facts "
    "td{text-align:right}\n"
    ".runs td,.runs tbody th{white-space:nowrap}.runs td{font-variant-numeric:tabular-nums}.runs "
    ".option{background:var(--mark)}\n"
    ".missing{margin:0;padding:1rem;border:1px dashed var(--pale);border-radius:10px;color:var(--warn)}\n"
    ".problems li{color:var(--warn)}\n"
    ".hardest,.classes{margin-top:1.6rem}\n"
    ".samples{display:grid;grid-template-columns:repeat(auto-fill,minmax(104px,1fr));gap:14px "
    "12px;margin:0;padding:0;"
    "list-style:none}\n"
    ".samples img{width:100%;height:auto;max-width:140px;display:block;image-rendering:pixelated;border-radius:4px;"
    "margin-bottom:2px}\n"
    ".samples span,.samples small{display:block;font-size:.82rem;line-height:1.3;overflow-wrap:anywhere}\n"
    "details summary{cursor:pointer;font-weight:600;margin:.5rem 0}\n"
    "footer{margin:2.5rem auto 2rem;padding-top:.8rem}\n"
    "@media (max-width:640px){main,footer{padding:0 12px}.card{padding:4px;margin:0 -6px}h1{font-size:1.4rem}"
    "th,td{padding:.3rem .4rem}.runs,.runs tbody,.runs tr,.runs th,.runs td{display:block}.runs thead{display:none}"
    ".runs tr{padding:.5rem 0;border-bottom:1px solid var(--line)}.runs th,.runs td{border:0;padding:.1rem 0;"
    "white-space:normal}.runs td{display:flex;justify-content:space-between;gap:12px}"
    ".runs td::before{content:attr(data-column);color:var(--pale)}}\n"
    "@media print{body{font-size:11pt}figure,.samples li,.tiles li,tr{break-inside:avoid}"
    ".files,.live{display:none}.card{border:0}.scroll{overflow:visible}"
    "table{font-size:7.5pt}th,td{padding:.15rem .3rem}td.n,th.n,.runs td,.runs tbody th{white-space:normal}"
    ".runs{font-size:6.5pt}.runs th,.runs td{padding:.1rem .2rem}"
    ".grid{grid-template-columns:1fr 1fr}}\n";

/* Dark only on screens: paper is white. */
dlda_status page_style(dlda_file_writer *page)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(
        page,
        ":root{color-scheme:light dark;--paper:#fbfbfa;--ink:#1b1c1e;--pale:#5d6166;--line:#dcdee1;--card:#ffffff;"
        "--tile:#f0f2f4;--link:#005a9c;--mark:#fff1c9;--warn:#8a3b00;"));
    DLDA_TRY(palette_write_variables(page, 0));
    DLDA_TRY(dlda_file_writer_print(
        page, "}\n@media screen and (prefers-color-scheme:dark){:root{--paper:#17181b;--ink:#e8e9eb;--pale:#a4a9b0;"
              "--line:#34373d;--card:#1c1e22;--tile:#22252a;--link:#7cc0ff;--mark:#4a3d12;--warn:#ffb37a;"));
    DLDA_TRY(palette_write_variables(page, 1));
    DLDA_TRY(dlda_file_writer_print(
        page,
        "}}\n@media print{:root{--paper:#fff;--ink:#000;--pale:#444;--line:#bbb;--tile:#f3f3f3;--mark:#eee;"
        "--warn:#000;--link:#000}}\n%s",
        rules));
done:
    return status;
}
