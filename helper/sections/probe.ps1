# Probes of the targets in the request.

function Get-ProbeSection {
    param([AllowEmptyCollection()][object[]]$Probes = @())
    foreach ($probe in $Probes) {
        $watch = [System.Diagnostics.Stopwatch]::StartNew()
        $failure = $null
        try {
            switch ($probe.Kind) {
                'tcp' { Connect-Tcp -Target $probe.Target -TimeoutMs 2500 }
                'udp' { Send-Udp -Target $probe.Target -TimeoutMs 1000 }
                'dns' { Send-DnsQuery -Target $probe.Target -TimeoutMs 2500 }
                'icmp' { Send-Ping -Target $probe.Target -TimeoutMs 2500 }
            }
        } catch {
            $failure = (ConvertTo-ErrorObject -ErrorRecord $_).message
        }
        [pscustomobject]@{
            Target = $probe.Target
            Kind   = $probe.Kind
            Ok     = $null -eq $failure
            Ms     = $watch.ElapsedMilliseconds
            Error  = $failure
        }
    }
}
