# Separation of the batches, by epoch: gnuplot schedules.gp, in this folder.
set terminal pngcairo size 900,450 font "sans,11"
set output "../../../docs/pictures/stl10-half-schedules.png"
set datafile separator ","
set key top left reverse Left
set xlabel "epoch"
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set multiplot layout 1,2
set title "separation of the batches"
plot for [s=1:3] sprintf("deeplda-cosine-seed%d-history.csv", s) skip 1 using 1:3 with lines lw 1.5 lc rgb "#0072b2" \
         title s == 1 ? "DeepLDA, cosine" : "", \
     for [s=1:3] sprintf("deeplda-halving-seed%d-history.csv", s) skip 1 using 1:3 with lines lw 1.5 lc rgb "#d55e00" \
         title s == 1 ? "DeepLDA, halved every 40 epochs" : ""
set title "accuracy on the training images, %"
set key bottom right noreverse Right
set yrange [30:101]
plot for [s=1:3] sprintf("deeplda-cosine-seed%d-history.csv", s) skip 1 using 1:(100 * $5) with linespoints pt 7 ps 0.3 lw 1.5 lc rgb "#0072b2" \
         title s == 1 ? "DeepLDA, cosine" : "", \
     for [s=1:3] sprintf("deeplda-halving-seed%d-history.csv", s) skip 1 using 1:(100 * $5) with linespoints pt 7 ps 0.3 lw 1.5 lc rgb "#d55e00" \
         title s == 1 ? "DeepLDA, halved" : "", \
     for [s=1:3] sprintf("cce-cosine-seed%d-history.csv", s) skip 1 using 1:(100 * $5) with linespoints pt 7 ps 0.3 lw 1 lc rgb "#777777" \
         title s == 1 ? "cross entropy, cosine" : ""
unset multiplot
