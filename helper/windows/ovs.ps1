# Open vSwitch: everything goes through ovs-vsctl, with its own time limit, and comes back as JSON.

function Get-OvsProgram {
    $known = @(
        'C:\openvswitch\usr\bin\ovs-vsctl.exe'
        'C:\Program Files\Open vSwitch\bin\ovs-vsctl.exe'
        'C:\Program Files\Cloudbase Solutions\Open vSwitch\bin\ovs-vsctl.exe'
    )
    foreach ($path in $known) {
        $program = Get-HostPath -Path $path
        if (Test-Path -LiteralPath $program -PathType Leaf) { return $program }
    }
    throw (New-HelperError -Kind NotInstalled -Message 'ovs-vsctl.exe was not found')
}

# --no-wait: ovs-vswitchd may be down, which is often the very fault.
function Invoke-OvsVsctl {
    param([Parameter(Mandatory = $true)][string[]]$Arguments)
    $call = @{
        Path      = Get-OvsProgram
        Arguments = @('--timeout=5', '--no-wait') + $Arguments
        Encoding  = New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false
    }
    Invoke-NativeChecked @call
}
